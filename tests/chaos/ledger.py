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

    def hold(self, source: Source, held: Collection[str]) -> int:
        """Kafka holds these of a source as committed. Returns how many of them it had called aborted; they count as all
        others do."""
        with self._turn:
            kept = {id_: ack for id_, ack in self._aborted.items() if id_ in held and ack is not None}
            kept = {id_: ack for id_, ack in kept.items() if ack.source == source}
            self._acks |= kept
            for id_ in kept:
                del self._aborted[id_]
            return len(kept)

    def doubt(self, ids: Iterable[str]) -> None:
        """Nobody will ever know whether their transaction was committed."""
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
