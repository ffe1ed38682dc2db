"""Ports of this machine that no other run takes, not even while their broker is down."""

import fcntl
import random
import socket
import tempfile
from pathlib import Path
from typing import IO

# Below the range from which the system picks ports for outgoing connections: one of those must not take the port of a
# broker that a test has killed and is about to restart.
RANGE = range(20_000, 32_000)


class Port:
    """A port of 127.0.0.1, held by a lock on a file until it is released or this process ends."""

    def __init__(self, number: int, lock: IO[str]) -> None:
        self.number = number
        self._lock = lock

    def release(self) -> None:
        self._lock.close()


def claim_port() -> Port:
    """A port that is free and that no other run of these tests holds. Raises ``RuntimeError`` if there is none."""
    for number in random.sample(RANGE, len(RANGE)):
        lock = _lock(number)
        if lock is not None:
            if _is_free(number):
                return Port(number, lock)
            lock.close()
    raise RuntimeError(
        f"No free port of 127.0.0.1 between {RANGE.start} and {RANGE.stop}. End the runs that hold them."
    )


def _lock(number: int) -> IO[str] | None:
    folder = Path(tempfile.gettempdir()) / "dynamic-kafka-ports"
    folder.mkdir(exist_ok=True)
    file = (folder / str(number)).open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def _is_free(number: int) -> bool:
    with socket.socket() as probe:
        # As the broker does: a connection that still winds down does not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError:
            return False
    return True
