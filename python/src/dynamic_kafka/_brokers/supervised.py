"""A process that ends, with all its children, when the process that started it ends in any way."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dynamic_kafka._brokers import supervisor
from dynamic_kafka._brokers.waiting import eventually

_GONE_SECONDS = 20
_NOTHING: Mapping[str, str] = {}


class Supervised:
    """Started at once in its own session: Ctrl-C reaches only the process that started it, which then ends it in order.

    What it prints goes to the end of ``log``. ``environment`` is added to that of this process.
    """

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] = _NOTHING, folder: Path | None = None
    ) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._supervisor = subprocess.Popen(  # noqa: S603 - the command is the caller's
            [sys.executable, "-I", supervisor.__file__, str(log), *command],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._supervisor.stdout is not None  # noqa: S101 - as asked for
        self.pid = int(self._supervisor.stdout.readline())
        self._killed = False

    def runs(self) -> bool:
        return self._supervisor.poll() is None or self._close()

    def signal(self, name: str) -> None:
        """To the process alone; harmless if it has ended."""
        assert self._supervisor.stdin is not None  # noqa: S101 - as asked for
        if self.runs():
            with suppress(BrokenPipeError):
                self._supervisor.stdin.write(f"{name}\n")
                self._supervisor.stdin.flush()

    def stop(self, within: float) -> None:
        """Freezes the process; returns once it is frozen, after ``within`` seconds at most."""
        self.signal("SIGSTOP")
        eventually(f"process {self.pid} is stopped", lambda: _state(self.pid), until="T".__eq__, within=within)

    def end(self, within: float) -> int:
        """Waits until it has ended, and returns its exit code."""
        code = self._supervisor.wait(within)
        self._close()
        return code

    def kill(self) -> None:
        """SIGKILL to it and its children, like a loss of power; returns when it is gone. Children that
        outlived it are killed too. Only once: later, its process id may belong to another process."""
        if not self._killed:
            self._killed = True
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self.end(_GONE_SECONDS)

    def _close(self) -> bool:
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            assert pipe is not None  # noqa: S101 - as asked for
            # A signal that could not reach an ended process is not needed.
            with suppress(BrokenPipeError):
                pipe.close()
        return False


def _state(pid: int) -> str:
    """The letter by which the system says what a process does, such as ``T`` for one that is stopped."""
    status = Path(f"/proc/{pid}/stat")
    if status.exists():
        return status.read_text().rpartition(") ")[2][:1]
    asked = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return asked.stdout.strip()[:1]
