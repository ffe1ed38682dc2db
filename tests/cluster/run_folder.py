"""The folder of one run, and the removal of those that killed runs left behind."""

import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import IO

_LOCK = "owner.lock"


class RunFolder:
    """A new folder under ``root``, locked by this process until it is removed or the process ends."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        # One at a time, so that nobody sweeps a folder that was made but not locked yet.
        with (root / _LOCK).open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            _sweep(root)
            self.path = Path(tempfile.mkdtemp(prefix="run-", dir=root))
            lock = _lock(self.path)
            if lock is None:
                raise RuntimeError(
                    f"{self.path} is new and yet locked by another process. Remove {root} and try again."
                )
            self._lock = lock

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _sweep(root: Path) -> None:
    for left in root.glob("run-*"):
        lock = _lock(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            lock.close()


def _lock(folder: Path) -> IO[str] | None:
    try:
        file = (folder / _LOCK).open("w")
    except FileNotFoundError:  # another run has just removed it
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
