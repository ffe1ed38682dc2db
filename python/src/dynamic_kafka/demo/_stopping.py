"""Ctrl-C and SIGTERM, at safe moments alone."""

from __future__ import annotations

import signal
from types import FrameType


class StopRequest:
    """Notes the first signal, because an interrupted call to the JVM leaves the connection unusable.

    A second one of the same kind acts at once.
    """

    def __init__(self) -> None:
        self._noted = False

    def listen(self) -> None:
        """Must be called again after Spark's start, because Spark installs its own handler."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def check(self) -> None:
        """Raises ``KeyboardInterrupt`` if there was a signal."""
        if self._noted:
            raise KeyboardInterrupt

    def _note(self, number: int, _: FrameType | None) -> None:
        self._noted = True
        signal.signal(number, signal.default_int_handler)
