"""The goals of the source, and whether it reached them."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench import (
    distance,
    distance_ages,
    distance_cold,
    driver_scale,
    hour,
    jobs,
    real_time,
    sick,
    sick_cases,
    sinks,
    slots,
    slow_cluster,
    small_batches,
    throughput,
)
from bench.datasets import Dataset
from bench.readings import CPU, WALL, Reading, Readings
from bench.slots_program import SLOTS
from bench.sources import OURS, UNION
from bench.triggers import TRIGGER


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for a goal. ``value`` is a ratio of medians, a median, or that of the worst repetition; ``least`` and
    ``most`` are the same for single repetitions. All are none if it was not measured. ``shown_by`` is the test that
    shows it instead."""

    text: str
    bound: str
    met: bool | None
    value: float | None
    least: float | None = None
    most: float | None = None
    shown_by: str = ""


@dataclass(frozen=True, slots=True)
class Goal:
    """``above`` divided by ``below``, or ``above`` alone if that is none, must be at least ``least`` or at most
    ``most``. Each is named by suite, case, contestant and metric. It is about medians, or about the ``worst``
    repetition."""

    text: str
    above: tuple[str, str, str, str]
    below: tuple[str, str, str, str] | None = None
    least: float | None = None
    most: float | None = None
    worst: bool = False

    @property
    def bound(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}"

    def outcome(self, readings: Readings) -> Outcome:
        above = readings.find(*self.above)
        below = None if self.below is None else readings.find(*self.below)
        if above is None or (below is None and self.below is not None):
            return Outcome(self.text, self.bound, None, None)
        single = _single(above, below)
        if self.worst:
            value = max(single) if self.least is None else min(single)
        else:
            value = above.median if below is None else above.median / below.median
        return Outcome(self.text, self.bound, self._holds(value), value, min(single), max(single))

    def _holds(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


def _single(above: Reading, below: Reading | None) -> Sequence[float]:
    """Pairs of repetitions that ran next to each other."""
    if below is None:
        return above.values
    return [one / other for one, other in zip(above.values, below.values, strict=False)]


def _slow(case: str) -> tuple[str, str, str, str]:
    return slow_cluster.SUITE, case, OURS, slow_cluster.PART


def goals(dataset: Dataset) -> list[Goal]:
    """All goals. Those of throughput are for this dataset."""
    others = (_jobs(), _hour(), _triggers(), _distance(), _driver(), _slots(), _sick(), _real_time())
    return [*_throughput(dataset), *(goal for suite in others for goal in suite)]


def _throughput(dataset: Dataset) -> list[Goal]:
    def read(
        sink: str, contestant: str, metric: str = WALL, suite: str = throughput.BATCH
    ) -> tuple[str, str, str, str]:
        return suite, throughput.case(dataset, sink), contestant, metric

    def times(sink: str, contestant: str, least: float) -> Goal:
        text = f"throughput, {sink}: time of the {contestant} to ours"
        return Goal(text, read(sink, contestant), read(sink, OURS), least=least)

    return [
        times(sinks.COUNT, UNION, 4),
        times(sinks.SUM, UNION, 4),
        times(sinks.NOOP, UNION, 3),
        times(sinks.SUM, throughput.BARE, 0.75),
        Goal(
            f"{throughput.ALONE}, {sinks.SUM}: time of Spark's own tuned source to ours",
            read(sinks.SUM, UNION, suite=throughput.ALONE),
            read(sinks.SUM, OURS, suite=throughput.ALONE),
            least=2.5,
        ),
        Goal(
            f"CPU seconds for each record, {sinks.SUM}: those of the {UNION} to ours",
            read(sinks.SUM, UNION, CPU),
            read(sinks.SUM, OURS, CPU),
            least=4,
        ),
    ]


def _jobs() -> list[Goal]:
    return [
        Goal(
            f"{case}: time of the {UNION} to ours",
            (jobs.SUITE, case, UNION, WALL),
            (jobs.SUITE, case, OURS, WALL),
            least=1.4,
        )
        for case in jobs.CASES
    ]


def _hour() -> list[Goal]:
    def read(contestant: str, metric: str) -> tuple[str, str, str, str]:
        return hour.SUITE, hour.LAST, contestant, metric

    peer, ours = "Spark's own with its starting time", "ours with the filter alone"
    return [
        Goal(
            f"{hour.LAST} of forty: time of {peer} to {ours}",
            read(hour.PEER_TIMES, WALL),
            read(hour.FILTER, WALL),
            least=1,
        ),
        Goal(
            f"{hour.LAST} of forty: bytes that {ours} fetches to those of {peer}",
            read(hour.FILTER, hour.FETCHED),
            read(hour.PEER_TIMES, hour.FETCHED),
            most=1.1,
        ),
    ]


def _triggers() -> list[Goal]:
    def trigger(contestant: str, clusters: int) -> tuple[str, str, str, str]:
        return small_batches.SUITE, small_batches.case(clusters), contestant, TRIGGER

    return [
        Goal(f"one trigger, 32 x 4: time of the {UNION} to ours", trigger(UNION, 32), trigger(OURS, 32), least=6),
        Goal("one trigger, ours: 32 clusters to one", trigger(OURS, 32), trigger(OURS, 1), most=1.3),
    ]


def _distance() -> list[Goal]:
    def read(round_trip: float, contestant: str) -> tuple[str, str, str, str]:
        return distance.BATCH, distance.case(round_trip), contestant, WALL

    def age(contestant: str, metric: str) -> tuple[str, str, str, str]:
        return distance_ages.SUITE, distance_ages.CASE, contestant, metric

    def batches(round_trip: float) -> list[Goal]:
        where, ours = f"{distance.case(round_trip)}, batch", read(round_trip, OURS)
        return [
            Goal(f"{where}: time of the {UNION} to ours", read(round_trip, UNION), ours, least=3),
            Goal(f"{where}: our time to that of {distance.BARE}", ours, read(round_trip, distance.BARE), most=1.3),
        ]

    ages = [
        Goal(f"{distance_ages.CASE}: {metric}, {UNION} to ours", age(UNION, metric), age(OURS, metric), least=3)
        for metric in (distance_ages.P50, distance_ages.P99)
    ]
    # One, and a fifth of one for all that is not waiting.
    asks = Goal(f"{distance_ages.CASE}: {distance_ages.TRIPS}", age(OURS, distance_ages.TRIPS), most=1.2)
    cold = Goal(
        f"{distance_cold.CASE}, {distance_cold.FIRST}: time of the {UNION} to ours",
        (distance_cold.SUITE, distance_cold.CASE, UNION, distance_cold.FIRST),
        (distance_cold.SUITE, distance_cold.CASE, OURS, distance_cold.FIRST),
        least=2,
    )
    return [*(goal for one in distance.ROUND_TRIPS for goal in batches(one)), *ages, asks, cold]


def _sick() -> list[Goal]:
    def age(case: str, part: str, value: str) -> tuple[str, str, str, str]:
        return sick.SUITE, case, OURS, sick.metric(part, value)

    worst = [
        Goal(
            f"worst age of healthy rows, {case}, seconds",
            age(case, sick.FALL, sick.MOST),
            most=5 if case.endswith((sick_cases.KILLED, sick_cases.REFUSES)) else 15,
            worst=True,
        )
        for case in sick_cases.CASES
    ]
    ratios = [
        Goal(
            f"age of healthy rows, {case}: {value} {sick.AFTER} to that before",
            age(case, sick.AFTER, value),
            age(case, sick.BEFORE, value),
            most=1.3 if case.startswith(sick_cases.MANY) else 1.2,
        )
        for case in sick_cases.CASES
        for value in (sick.P50, sick.P99)
    ]
    idle = Goal(
        f"age of healthy rows, {sick_cases.IDLE}: seconds longer, at most",
        (sick.SUITE, sick_cases.IDLE, OURS, sick.LONGER),
        most=1,
    )
    latest = Goal(
        "latestOffset, 32 healthy clusters: ours to that of the other jar",
        (sick.SUITE, f"{sick_cases.MANY} {sick_cases.FROZEN}", OURS, sick.LATEST),
        (sick.SUITE, f"{sick_cases.MANY} {sick_cases.FROZEN}", sick.OTHER, sick.LATEST),
        most=1,
    )
    return [*worst, *ratios, idle, latest]


def _real_time() -> list[Goal]:
    def age(case: str, contestant: str = OURS, part: str = "") -> tuple[str, str, str, str]:
        metric = real_time.metric(part, real_time.P99) if part else real_time.P99
        return real_time.SUITE, case, contestant, metric

    def ratio(case: str, most: float) -> Goal:
        parts = age(case, part=real_time.AFTER), age(case, part=real_time.BEFORE)
        return Goal(f"real time, {case}: p99 of the others {real_time.AFTER} to that before", *parts, most=most)

    def alone(case: str, metric: str, most: float) -> Goal:
        return Goal(f"real time, {case}: {metric}", (real_time.SUITE, case, OURS, metric), most=most)

    sparks = [
        Goal(f"real time, {case}: p99 of {real_time.SPARKS} to ours", age(case, real_time.SPARKS), age(case), least=1)
        for case in (real_time.ONE, real_time.BORDERS, *real_time.STATEFUL.values())
    ]
    return [
        *sparks,
        Goal(
            f"real time, {real_time.MANY} on {real_time.SLOTS} slots: p99 to that of one cluster",
            age(real_time.MANY),
            age(real_time.ONE),
            most=2,
        ),
        alone(real_time.HUNDRED, real_time.P99, 250),
        ratio(real_time.DIES, 1.5),
        ratio(real_time.CATCHES_UP, 1.5),
        alone(real_time.ADDED, real_time.FIRST_ROW, 6),
        alone(real_time.IDLE, real_time.CPU, 2),
        alone(real_time.IDLE, real_time.REQUESTS, 5),
    ]


def _slots() -> list[Goal]:
    def tasks(case: str, least: float | None = None, most: float | None = None) -> Goal:
        return Goal(f"{slots.SUITE}, {case}: tasks", (slots.SUITE, case, OURS, slots.TASKS), least=least, most=most)

    def even(case: str) -> Goal:
        return Goal(f"{slots.SUITE}, {case}: {slots.FAIR}", (slots.SUITE, case, OURS, slots.FAIR), most=1.3)

    return [
        tasks(slots.LARGE, least=SLOTS),
        tasks(slots.SLOW, least=SLOTS),
        tasks(slots.TRICKLE, most=8),
        even(slots.SKEW),
        even(slots.PIECES),
    ]


def _driver() -> list[Goal]:
    def planned(clusters: int) -> tuple[str, str, str, str]:
        return driver_scale.SUITE, driver_scale.case(clusters, 100), OURS, driver_scale.PLAN

    return [
        Goal(
            f"latestOffset, one of 32 clusters answers in {slow_cluster.ANSWER:g} s: ours to that cluster alone",
            _slow(slow_cluster.AMONG),
            _slow(slow_cluster.ALONE),
            most=1.2,
        ),
        Goal(
            "a batch of 100 clusters with 10,000 partitions is planned, seconds",
            planned(100),
            most=0.2,
        ),
        # Ten times the partitions may take a fifth more than ten times as long, because caches hold less of the data.
        Goal(
            "a batch is planned, time for 100,000 partitions to that for 10,000",
            planned(1000),
            planned(100),
            most=12,
        ),
    ]
