"""How long one trigger takes with only a few records, and how that grows with the clusters."""

from collections.abc import Sequence

from tests.cluster import KafkaCluster

from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import CPU, Reading, Readings
from bench.sources import DEFAULT_UNION, OURS, UNION, Listed, sources
from bench.trickle import PARTITIONS, Trickle
from bench.triggers import PARTS, TRIGGER, Triggers, run_triggers

SUITE = "one trigger"
# How many clusters each contestant reads. A union of more would take many seconds for each trigger.
_WHOLE = {OURS: (1, 2, 8, 32, 100), UNION: (1, 2, 8, 32), DEFAULT_UNION: (8,)}
# The least number of topics that are written, so that writing costs about the same in each case.
_WRITTEN = 32
# How many triggers of each source are not measured. Those of the union take many times as long.
_WARM = {OURS: 300, UNION: 40}
_SHORT = {OURS: (1, 32), UNION: (32,)}


def case(clusters: int) -> str:
    return f"{clusters} x {PARTITIONS}"


def run(engine: Engine, brokers: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds readings for several numbers of clusters. A few brokers serve as all of them: each cluster has its own id,
    its own topic and, in both sources, its own connections."""
    turns = _turns(_WHOLE if effort.whole else _SHORT)
    listed = create_topics(brokers, max(size for _, size in turns))
    runs: dict[tuple[str, int], list[Triggers]] = {turn: [] for turn in turns}
    warm(engine, listed)
    for number in range(effort.repetitions):
        for name, size in turns:
            runs[name, size].append(_one(engine, name, listed[:size], listed[: max(size, _WRITTEN)]))
        say(f"{SUITE}: round {number + 1} of {effort.repetitions} is done")
    for (name, size), triggers in runs.items():
        _add(readings, case(size), name, triggers)


def warm(engine: Engine, listed: Sequence[Listed]) -> None:
    """Lets the JVM compile the code of a trigger: after hundreds of triggers their times stay the same."""
    some = listed[:_WRITTEN]
    for name, count in _WARM.items():
        with Trickle(some):
            run_triggers(engine, sources(engine.spark, some)[name].stream("latest"), warm=count, count=1)
        say(f"{SUITE}: {name} is warm")


def _turns(sizes: dict[str, tuple[int, ...]]) -> list[tuple[str, int]]:
    """Which contestant runs with how many clusters, in this order, repeatedly."""
    return sorted(((name, size) for name in sizes for size in sizes[name]), key=lambda turn: turn[1])


def create_topics(brokers: Sequence[KafkaCluster], count: int) -> list[Listed]:
    """This many clusters, shared among the brokers, each with its own topic."""
    listed = []
    for number in range(count):
        broker = brokers[number % len(brokers)]
        listed.append(Listed(f"cluster-{number:03d}", broker.bootstrap_servers, f"trickle-{number:03d}"))
        if listed[-1].topic not in broker.topics():
            broker.create_topic(listed[-1].topic, PARTITIONS)
    return listed


def _one(engine: Engine, contestant: str, listed: Sequence[Listed], written: Sequence[Listed]) -> Triggers:
    source = sources(engine.spark, listed)[contestant]
    engine.collect_garbage()
    with Trickle(written):
        return run_triggers(engine, source.stream("latest"), warm=5, count=20)


def _add(readings: Readings, case: str, contestant: str, runs: Sequence[Triggers]) -> None:
    for part in (TRIGGER, *PARTS):
        values = tuple(one.seconds[part] for one in runs)
        readings.add(Reading(SUITE, case, contestant, part, "s", values))
    readings.add(Reading(SUITE, case, contestant, CPU, "s", tuple(one.cpu for one in runs)))
    medians = {part: readings.median(SUITE, case, contestant, part) or 0 for part in (TRIGGER, *PARTS, CPU)}
    parts = ", ".join(f"{part} {1000 * seconds:.0f}" for part, seconds in medians.items())
    say(f"{SUITE} | {case} | {contestant}, ms: {parts}")
