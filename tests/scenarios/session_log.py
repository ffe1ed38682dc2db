"""What the one session of a run logs."""

import re
from pathlib import Path

from tests.cluster import eventually


class SessionLog:
    """The lines of a log file that are written from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = path.stat().st_size

    def lines(self, pattern: str) -> list[str]:
        """Those in which the regular expression is found."""
        with self._path.open("rb") as log:
            log.seek(self._before)
            return [line for line in log.read().decode().splitlines() if re.search(pattern, line)]

    def await_line(self, pattern: str, within: float = 40.0) -> str:
        """The first such line, once there is one."""
        return eventually(f"the log has a line with {pattern}", lambda: self.lines(pattern), within=within)[0]
