"""Seconds since the demo began."""

import time
from datetime import datetime


class Clock:
    def __init__(self) -> None:
        self._began = time.time()

    def now(self) -> float:
        return time.time() - self._began

    def of(self, timestamp: str) -> float:
        """The same, for a time in Spark's text form, such as ``2026-01-31T12:00:00.000Z``."""
        return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() - self._began
