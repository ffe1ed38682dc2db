"""How long one trigger takes when only a few records came, and how that grows with the clusters."""

from collections.abc import Sequence

from tests.cluster import KafkaCluster

from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import CPU, Reading, Readings
from bench.sources import OURS, UNION, Listed, OurSource, UnionSource
from bench.trickle import PARTITIONS, Trickle
from bench.triggers import PARTS, TRIGGER, Triggers, run_triggers

SUITE = "one trigger"
# More are not asked of a union: it takes seconds for each trigger then.
_MOST_OF_UNION = 32


def case(clusters: int) -> str:
    return f"{clusters} x {PARTITIONS}"


def run(engine: Engine, brokers: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds readings for several numbers of clusters. A few brokers stand for all of them: each cluster has its own id,
    its own topic and, in both sources, its own connections."""
    sizes = (1, 2, 8, 32, 100) if effort.whole else (1, 2, 32)
    listed = [_listed(number, brokers) for number in range(max(sizes))]
    for number, one in enumerate(listed):
        brokers[number % len(brokers)].create_topic(one.topic, PARTITIONS)
    for size in sizes:
        _compare(engine, listed[:size], effort, readings)


def _listed(number: int, brokers: Sequence[KafkaCluster]) -> Listed:
    return Listed(f"cluster-{number:03d}", brokers[number % len(brokers)].bootstrap_servers, f"trickle-{number:03d}")


def _compare(engine: Engine, listed: Sequence[Listed], effort: Effort, readings: Readings) -> None:
    contestants: dict[str, OurSource | UnionSource] = {OURS: OurSource(engine.spark, listed)}
    if len(listed) <= _MOST_OF_UNION:
        contestants[UNION] = UnionSource(engine.spark, listed)
    runs: dict[str, list[Triggers]] = {name: [] for name in contestants}
    with Trickle(listed):
        for _ in range(effort.repetitions):
            for name, source in contestants.items():
                engine.collect_garbage()
                runs[name].append(run_triggers(engine, source.stream("latest"), warm=4, count=6))
    for name in contestants:
        _add(readings, case(len(listed)), name, runs[name])


def _add(readings: Readings, case: str, contestant: str, runs: Sequence[Triggers]) -> None:
    for part in (TRIGGER, *PARTS):
        values = tuple(one.seconds[part] for one in runs)
        readings.add(Reading(SUITE, case, contestant, part, "s", values))
    readings.add(Reading(SUITE, case, contestant, CPU, "s", tuple(one.cpu for one in runs)))
    medians = {part: readings.median(SUITE, case, contestant, part) or 0 for part in (TRIGGER, *PARTS, CPU)}
    parts = ", ".join(f"{part} {1000 * seconds:.0f}" for part, seconds in medians.items())
    say(f"{SUITE} | {case} | {contestant}, ms: {parts}")
