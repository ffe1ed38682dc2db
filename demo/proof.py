"""Compares the orders that were written into Kafka with those that came out of the query."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Proof:
    """``missing`` were written and never came out. ``repeated`` came out more than once. ``unknown`` were never
    written.

    ``in_kafka`` is the number of orders on the brokers, by cluster, asked through another client.
    """

    written: int
    read: int
    missing: tuple[int, ...]
    repeated: tuple[int, ...]
    unknown: tuple[int, ...]
    read_from: Mapping[str, int]
    in_kafka: Mapping[str, int]

    @property
    def holds(self) -> bool:
        faults = self.missing or self.repeated or self.unknown
        return self.written > 0 and not faults and dict(self.read_from) == dict(self.in_kafka)

    def lines(self) -> list[str]:
        """The proof as text."""
        return [
            f"orders written          {self.written:,}",
            f"rows out of the query   {self.read:,}",
            f"duplicates              {_ids_text(self.repeated)}",
            f"missing                 {_ids_text(self.missing)}",
            f"never written           {_ids_text(self.unknown)}",
            *(
                f"from {name:18} {self.read_from.get(name, 0):,} read, {count:,} in Kafka"
                for name, count in sorted(self.in_kafka.items())
            ),
            "each order arrived exactly once" if self.holds else "NOT exactly once",
        ]


def prove(read: Iterable[tuple[int, str]], *, written: int, in_kafka: Mapping[str, int]) -> Proof:
    """``read`` is each id that came out of the query, with its cluster; the ids written are 0 to ``written`` - 1."""
    rows = list(read)
    seen = Counter(id_ for id_, _ in rows)
    wanted = range(written)
    return Proof(
        written=written,
        read=len(rows),
        missing=tuple(id_ for id_ in wanted if id_ not in seen),
        repeated=tuple(sorted(id_ for id_, times in seen.items() if times > 1)),
        unknown=tuple(id_ for id_ in seen if id_ not in wanted),
        read_from=Counter(cluster for _, cluster in rows),
        in_kafka=in_kafka,
    )


def _ids_text(ids: tuple[int, ...]) -> str:
    if not ids:
        return "0"
    more = ", ..." if len(ids) > _SHOWN else ""
    return f"{len(ids):,}: {', '.join(map(str, ids[:_SHOWN]))}{more}"
