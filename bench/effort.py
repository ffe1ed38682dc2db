"""How much the benchmarks do: everything, or a short run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """``repetitions`` of each contestant, after one that does not count, and ``fewer`` if no goal depends on them;
    ``thousands`` of records per cluster for throughput, of the middle size; ``whole`` also measures the record sizes,
    codecs and sinks without goals."""

    repetitions: int
    fewer: int
    thousands: int
    whole: bool


FULL = Effort(repetitions=5, fewer=3, thousands=2000, whole=True)
QUICK = Effort(repetitions=3, fewer=2, thousands=1000, whole=False)
