"""How much the benchmarks do: all of it, or a short look."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """``repetitions`` of each contestant, after one that does not count, and ``fewer`` where no goal rests on it;
    ``thousands`` of records per cluster for throughput, of the middle size; ``whole`` also takes the record sizes,
    codecs and sinks that are no goals."""

    repetitions: int
    fewer: int
    thousands: int
    whole: bool


FULL = Effort(repetitions=5, fewer=3, thousands=2000, whole=True)
QUICK = Effort(repetitions=3, fewer=2, thousands=1000, whole=False)
