"""Which ids were written, and where they are."""

import threading
from collections.abc import Collection, Iterable, Mapping

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
        self._cut_off: dict[str, Ack] = {}

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
        how many of them were in doubt, cut off, or said to be aborted; they count as all others do."""
        with self._turn:
            kept = held.keys() & (self._aborted.keys() | self._doubtful | self._cut_off.keys())
            for id_ in kept:
                known = self._aborted.pop(id_, None) or self._cut_off.pop(id_, None)
                self._doubtful.discard(id_)
                self._acks[id_] = known or Ack(source, *held[id_], at)
            return len(kept)

    def doubt(self, ids: Iterable[str]) -> None:
        """Nobody knows yet whether they are there, or their transaction was committed."""
        with self._turn:
            for id_ in ids:
                del self._unsure[id_]
                self._doubtful.add(id_)

    def lose(self, source: Source, held: Collection[str]) -> set[str]:
        """Kafka's log of a source holds these ids. What was confirmed of it, or of an earlier generation, and is not
        among them was cut off: it may have been read, once. Returns what is new of that."""
        with self._turn:
            before = ((id_, ack.source) for id_, ack in self._acks.items() if ack.source[:2] == source[:2])
            lost = {id_ for id_, of in before if of.generation <= source.generation} - set(held)
            self._cut_off |= {id_: self._acks.pop(id_) for id_ in lost}
            return lost

    def cut_off(self) -> dict[str, Ack]:
        """By id, with the place that it had."""
        with self._turn:
            return dict(self._cut_off)

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
