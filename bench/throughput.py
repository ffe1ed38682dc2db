"""How fast many records are read: two clusters or one, some sinks, as a batch and as a stream."""

from collections.abc import Callable, Mapping, Sequence

from tests.cluster import KafkaCluster

from bench import sinks
from bench.datasets import Dataset, fill
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import Readings
from bench.rounds import alternate
from bench.sources import DEFAULT_UNION, OURS, UNION, Listed, OurSource, UnionSource, sources

BATCH = "throughput, batch"
ALONE = "throughput, one cluster"
STREAM = "throughput, AvailableNow"
BARE = "bare consumers"
_MIDDLE = 200
# The sinks of batch reads that have goals.
_GOALS = (sinks.NOOP, sinks.COUNT, sinks.SUM)
# Rounds before anything is measured. After so many the times of each contestant stay the same.
_WARM = Dataset(250_000, 150, "lz4")
_WARM_ROUNDS = 12
_NO_MORE: Mapping[str, str] = {}


def middle(effort: Effort) -> Dataset:
    """The dataset of the goals."""
    return Dataset(effort.thousands * 1000, _MIDDLE, "lz4")


def case(dataset: Dataset, sink: str) -> str:
    return f"{dataset}: {sink}"


def run(engine: Engine, clusters: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds a reading for each sink and record size."""
    first = middle(effort)
    fill(engine, clusters, first)
    warm(engine, clusters)
    for sink in sinks.ALL if effort.whole else _GOALS:
        _batch(engine, clusters, first, sink, effort, readings)
    _batch(engine, clusters[:1], first, sinks.SUM, effort, readings, ALONE)
    for sink in (sinks.NOOP, sinks.SUM, sinks.PARQUET) if effort.whole else (sinks.SUM,):
        _stream(engine, clusters, first, sink, effort, readings)
    if effort.whole:
        _other_records(engine, clusters, effort, readings)


def warm(engine: Engine, clusters: Sequence[KafkaCluster]) -> None:
    """Lets the JVM compile what all cases share: otherwise the first case pays for it. Many short reads do it sooner
    than a few long ones."""
    fill(engine, clusters, _WARM)
    listed = _listed(clusters, _WARM)
    read_bare = bare(engine, listed, _WARM)
    contestants = sources(engine.spark, listed)
    for _ in range(_WARM_ROUNDS):
        for name in (OURS, UNION):
            for sink in (sinks.NOOP, sinks.COUNT, sinks.SUM):
                sinks.run_batch(sink, contestants[name].batch())
        read_bare()
    for cluster in clusters:
        cluster.delete_topic(_WARM.topic)


def _other_records(engine: Engine, clusters: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    for dataset in (
        Dataset(effort.thousands * 1000, 20, "lz4"),
        Dataset(effort.thousands * 125, 1024, "lz4"),
        Dataset(effort.thousands * 500, _MIDDLE, "zstd"),
    ):
        fill(engine, clusters, dataset)
        for sink in (sinks.NOOP, sinks.SUM):
            _batch(engine, clusters, dataset, sink, effort, readings)
        for cluster in clusters:
            cluster.delete_topic(dataset.topic)


def _batch(
    engine: Engine,
    clusters: Sequence[KafkaCluster],
    dataset: Dataset,
    sink: str,
    effort: Effort,
    readings: Readings,
    suite: str = BATCH,
) -> None:
    listed = _listed(clusters, dataset)

    def contestant(source: OurSource | UnionSource) -> Callable[[], None]:
        return lambda: sinks.run_batch(sink, source.batch())

    def repetitions(name: str) -> int:
        goal = dataset == middle(effort) and sink in _GOALS and name != DEFAULT_UNION
        return effort.repetitions if goal else effort.fewer

    contestants = {
        name: contestant(source) for name, source in _compared(engine, listed, dataset, sink, effort).items()
    }
    if sink == sinks.SUM:
        contestants[BARE] = bare(engine, listed, dataset)
    alternate(engine, readings, suite, case(dataset, sink), contestants, repetitions)


def _stream(
    engine: Engine,
    clusters: Sequence[KafkaCluster],
    dataset: Dataset,
    sink: str,
    effort: Effort,
    readings: Readings,
) -> None:
    listed = _listed(clusters, dataset)
    expected = dataset.records * len(clusters)

    def contestant(source: OurSource | UnionSource) -> Callable[[], None]:
        def run() -> None:
            read = sinks.run_stream(sink, source.stream())
            if read != expected:
                raise AssertionError(f"{expected} records are there, and {read} were read.")

        return run

    contestants = {
        name: contestant(source) for name, source in _compared(engine, listed, dataset, sink, effort).items()
    }
    alternate(engine, readings, STREAM, case(dataset, sink), contestants, lambda _: effort.fewer)


def _compared(
    engine: Engine, listed: Sequence[Listed], dataset: Dataset, sink: str, effort: Effort
) -> dict[str, OurSource | UnionSource]:
    """The union at its defaults has no goal and takes longest, so one case shows how much slower it is."""
    found = sources(engine.spark, listed)
    if not (effort.whole and sink == sinks.SUM and dataset == middle(effort)):
        del found[DEFAULT_UNION]
    return found


def bare(
    engine: Engine, listed: Sequence[Listed], dataset: Dataset, properties: Mapping[str, str] = _NO_MORE
) -> Callable[[], None]:
    """A read of all of it by Kafka's client alone. ``properties`` are more ones of its consumers."""
    reader = engine.isolated("BareRead")
    addresses, more = engine.jvm.java.util.ArrayList(), engine.jvm.java.util.HashMap()
    for one in listed:
        addresses.add(one.address)
    for name, value in properties.items():
        more.put(name, value)
    expected = dataset.records * dataset.size * len(listed)

    def run() -> None:
        read = reader.bytes(addresses, dataset.topic, engine.cores, more)
        if read != expected:
            raise AssertionError(f"{expected} bytes are there, and {read} were read.")

    return run


def _listed(clusters: Sequence[KafkaCluster], dataset: Dataset) -> list[Listed]:
    return [Listed(cluster.name, cluster.bootstrap_servers, dataset.topic) for cluster in clusters]
