"""Which ids were written, and where they are."""

import threading

from tests.chaos.places import Ack, Source


class Ledger:
    """An id is unsure from the moment it is sent until its broker confirms it. Safe from any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._acks: dict[str, Ack] = {}
        self._unsure: dict[str, Source] = {}

    def send(self, id_: str, source: Source) -> None:
        with self._turn:
            self._unsure[id_] = source

    def refuse(self, id_: str) -> None:
        """It was not even sent."""
        with self._turn:
            del self._unsure[id_]

    def confirm(self, id_: str, ack: Ack) -> None:
        with self._turn:
            del self._unsure[id_]
            self._acks[id_] = ack

    def acks(self) -> dict[str, Ack]:
        """By id, as of now."""
        with self._turn:
            return dict(self._acks)

    def of(self, source: Source) -> set[str]:
        """The ids confirmed of one source."""
        with self._turn:
            return {id_ for id_, ack in self._acks.items() if ack.source == source}

    def unsure(self) -> set[str]:
        with self._turn:
            return set(self._unsure)

    def unsure_of(self, source: Source) -> int:
        with self._turn:
            return sum(one == source for one in self._unsure.values())

    def __len__(self) -> int:
        return len(self._acks)
