"""Ctrl-C and SIGTERM, heard where nothing is under way."""

import signal
from types import FrameType


class StopRequest:
    """Notes the first signal, since one that breaks into a call to the JVM leaves the connection unusable.

    A second one of the same kind acts at once.
    """

    def __init__(self) -> None:
        self._noted = False

    def listen(self) -> None:
        """To be called again after Spark's start, which puts a handler of its own in place."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def check(self) -> None:
        """Raises ``KeyboardInterrupt`` if there was a signal."""
        if self._noted:
            raise KeyboardInterrupt

    def _note(self, number: int, _: FrameType | None) -> None:
        self._noted = True
        signal.signal(number, signal.default_int_handler)
