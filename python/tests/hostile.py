"""An id that tries to forge lines, colours and directions of text, to be mathematics, and to be no text at all."""

ID = "_eu\n\x1b[31m$\\frac{$[bold]|<b>\u202e\u2028\ud83d"
SHOWN = r"_eu\u000a\u001b[31m$\frac{$[bold]|<b>\u202e\u2028\ud83d"


def forged(text: str) -> list[str]:
    """What of it a terminal would obey."""
    return [mark for mark in ("\x1b", "\u202e", "\u2028", "\ud83d") if mark in text]
