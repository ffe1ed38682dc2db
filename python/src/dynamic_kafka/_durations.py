"""How long something takes or took, for people. Options take exact texts: `Checks.duration`."""

from __future__ import annotations

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"))


def rough(seconds: float) -> str:
    """In seconds, and in minutes, hours or days if there are at least two of them."""
    for size, unit in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(seconds, 0) // 1:.0f} s"
