"""Ports of this machine that no other run takes, not even while their broker is down."""

from __future__ import annotations

import contextlib
import random
import socket
import sys

from dynamic_kafka._brokers.settings import HOST

# Below the range from which the system picks ports for outgoing connections: one of those must not take the port of a
# broker that a test has killed and is about to restart.
RANGE = range(20_000, 32_000)


class Port:
    """A port of 127.0.0.1, held by a lock until it is released or this process ends."""

    def __init__(self, number: int, lock: socket.socket) -> None:
        self.number = number
        self._lock = lock

    def release(self) -> None:
        self._lock.close()


def claim_port() -> Port:
    """A port that is free and that no other run holds. Raises ``RuntimeError`` if there is none."""
    for number in random.sample(RANGE, len(RANGE)):
        lock = _lock(number)
        if lock is not None:
            if _is_free(number):
                return Port(number, lock)
            lock.close()
    raise RuntimeError(
        f"No free port of 127.0.0.1 between {RANGE.start} and {RANGE.stop}. End the runs that hold them."
    )


def _lock(number: int) -> socket.socket | None:
    # Of all users, only one process at a time can have this name. A file would belong to its user.
    lock = socket.socket(socket.AF_UNIX)
    if sys.platform != "linux":  # has no such names: another run may take it while it is free
        return lock
    with contextlib.suppress(OSError):
        lock.bind(f"\0dynamic-kafka-port-{number}")
        return lock
    lock.close()
    return None


def _is_free(number: int) -> bool:
    with socket.socket() as probe:
        # As the broker does: a connection that still winds down does not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, number))
        except OSError:
            return False
    return True
