"""A process with all its children, which is gone when the run is, however that ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster import supervisor

ROOT = Path(__file__).resolve().parents[2]


class Supervised:
    """Started at once; what it prints goes to the end of ``log``. ``environment`` is beside that of the run."""

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", supervisor.__file__, str(log), *command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._supervisor.stdout is not None
        self.pid = int(self._supervisor.stdout.readline())

    def runs(self) -> bool:
        return self._supervisor.poll() is None

    def kill(self) -> None:
        """SIGKILL to it and its children, as a machine that loses power does it; returns when it is gone."""
        if self.runs():
            os.killpg(self.pid, signal.SIGKILL)
        self._supervisor.wait(20)
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            if pipe is not None:
                pipe.close()
