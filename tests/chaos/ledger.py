"""Which ids were written, and where they are."""

import threading
from collections.abc import Iterable, Mapping

from tests.chaos.places import Ack, Source


class Ledger:
    """An id is unsure from the moment it is sent until its broker confirms it, and with it its transaction if it has
    one, or the transaction is aborted. Safe from any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._acks: dict[str, Ack] = {}
        self._unsure: dict[str, Source] = {}
        self._aborted: dict[str, Ack | None] = {}
        self._doubtful: set[str] = set()

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

    def abort(self, ids: Iterable[str], places: Mapping[str, Ack]) -> None:
        """Their transaction is aborted; those that reached the broker lie at these places."""
        with self._turn:
            for id_ in ids:
                del self._unsure[id_]
                self._aborted[id_] = places.get(id_)

    def hold(self, source: Source, held: Mapping[str, tuple[int, int]], at: float) -> int:
        """Kafka holds these of a source as committed, at partitions and offsets, as was found ``at`` a second. Returns
        how many of them were in doubt, or said to be aborted; they count as all others do."""
        with self._turn:
            kept = held.keys() & (self._aborted.keys() | self._doubtful)
            for id_ in kept:
                known = self._aborted.pop(id_, None)
                self._doubtful.discard(id_)
                self._acks[id_] = known or Ack(source, *held[id_], at)
            return len(kept)

    def doubt(self, ids: Iterable[str]) -> None:
        """Nobody knows yet whether they are there, or their transaction was committed."""
        with self._turn:
            for id_ in ids:
                del self._unsure[id_]
                self._doubtful.add(id_)

    def acks(self) -> dict[str, Ack]:
        """By id, as of now."""
        with self._turn:
            return dict(self._acks)

    def aborted(self) -> dict[str, Ack | None]:
        """By id, with its place if it has one."""
        with self._turn:
            return dict(self._aborted)

    def of(self, source: Source) -> set[str]:
        """The ids confirmed of one source."""
        with self._turn:
            return {id_ for id_, ack in self._acks.items() if ack.source == source}

    def unsure(self) -> set[str]:
        """Those that may be there or not."""
        with self._turn:
            return self._unsure.keys() | self._doubtful

    def unsure_of(self, source: Source) -> int:
        """How many of a source are still to be confirmed."""
        with self._turn:
            return sum(one == source for one in self._unsure.values())

    def __len__(self) -> int:
        return len(self._acks)
