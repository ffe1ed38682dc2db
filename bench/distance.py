"""What it costs that clusters are far away: how fast a backlog is read, how old the rows of a trickle are, and how soon
the first rows come."""

from collections.abc import Callable, Mapping

from tests.cluster import ServerSettings

from bench import distance_ages, distance_cold, sinks, throughput
from bench.console import say
from bench.datasets import Dataset, fill
from bench.effort import Effort
from bench.engine import Engine
from bench.far import FarBrokers, far_brokers
from bench.readings import Readings
from bench.rounds import Contestant, alternate
from bench.sources import OURS, TUNING, UNION, Listed, OurSource, UnionSource

BATCH = "far clusters, batch"
# Seconds, as to another city and to another continent.
ROUND_TRIPS = (0.02, 0.08)
# What makes Kafka's client fastest at a distance: fewer round trips for the same bytes.
FETCHES = {
    "max.partition.fetch.bytes": str(16 << 20),
    "fetch.max.bytes": str(64 << 20),
    "receive.buffer.bytes": "-1",
}
LARGE = "large fetches"
BARE = f"{throughput.BARE}, {LARGE}"


# Bytes a second from each cluster: a line of 100 Mbit/s.
NARROW = 12.5e6


def case(round_trip: float, bandwidth: float | None = None) -> str:
    line = f", {8 * bandwidth / 1e6:.0f} Mbit/s" if bandwidth else ""
    return f"{1000 * round_trip:.0f} ms a round trip{line}"


def run(engine: Engine, settings: ServerSettings, effort: Effort, readings: Readings) -> None:
    """Adds the readings of all three, of brokers with these settings that are started for it."""
    say("Starting two brokers behind forwarders ...")
    with far_brokers(settings) as far:
        _batches(engine, far, effort, readings)
        distance_ages.run(engine, far, effort, readings)
    distance_cold.run(engine, settings, effort, readings)


def _batches(engine: Engine, far: FarBrokers, effort: Effort, readings: Readings) -> None:
    dataset = throughput.middle(effort)
    far.move(0)
    fill(engine, far.clusters, dataset)
    throughput.warm(engine, far.clusters)
    lines: list[tuple[float, float | None]] = [*((one, None) for one in ROUND_TRIPS), (ROUND_TRIPS[-1], NARROW)]
    for line in lines:
        far.move(*line)
        readers = _readers(engine, far, dataset)
        alternate(engine, readings, BATCH, case(*line), readers, lambda _: effort.repetitions)
    for cluster in far.clusters:
        cluster.delete_topic(dataset.topic)


def _readers(engine: Engine, far: FarBrokers, dataset: Dataset) -> Mapping[str, Contestant]:
    """Those with goals, and both Spark sources with the fetches that make the bare consumers fastest."""
    usual, large = _listed(far, dataset, {}), _listed(far, dataset, FETCHES)
    tuned = TUNING | {f"kafka.{name}": value for name, value in FETCHES.items()}
    return {
        OURS: _batch(OurSource(engine.spark, usual)),
        UNION: _batch(UnionSource(engine.spark, usual, TUNING)),
        BARE: throughput.bare(engine, usual, dataset, FETCHES),
        f"{OURS}, {LARGE}": _batch(OurSource(engine.spark, large)),
        f"{UNION}, {LARGE}": _batch(UnionSource(engine.spark, usual, tuned)),
    }


def _batch(source: OurSource | UnionSource) -> Callable[[], None]:
    return lambda: sinks.run_batch(sinks.SUM, source.batch())


def _listed(far: FarBrokers, dataset: Dataset, properties: Mapping[str, str]) -> list[Listed]:
    return [
        Listed(cluster.name, gate.address, dataset.topic, properties)
        for cluster, gate in zip(far.clusters, far.gates, strict=True)
    ]
