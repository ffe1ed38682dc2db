"""A batch read of one hour from a topic of forty: how much is fetched, and how long it takes."""

from collections.abc import Callable, Mapping
from typing import Any

from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame
from pyspark.sql.functions import count, length
from pyspark.sql.functions import sum as total
from tests.cluster import KafkaCluster

from bench.console import say
from bench.datasets import PARTITIONS
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import Reading, Readings
from bench.rounds import alternate
from bench.sources import OURS, TUNING

SUITE = "one hour of forty"
LAST, MIDDLE = "the last hour", "an hour in the middle"
FILTER = f"{OURS}, filter"
ENDED = f"{OURS}, filter and ending time"
PEER_FILTER, PEER_TIMES = "Spark's own, filter", "Spark's own, filter and its starting and ending times"
FETCHED = "fetched"
_TOPIC = "hours"
_HOURS, _HOUR = 40, 3_600_000
_BEGIN = 1_700_000_000_000
_BYTES = 200
# Of a whole run.
RECORDS = 4_000_000


def run(engine: Engine, cluster: KafkaCluster, effort: Effort, readings: Readings) -> None:
    """Adds seconds and fetched bytes of each way to read one hour."""
    cluster.create_topic(_TOPIC, PARTITIONS, config={"retention.ms": "-1"})
    records = RECORDS if effort.whole else RECORDS // 10
    writer = engine.isolated("Fill")
    writer.writeOver(cluster.bootstrap_servers, _TOPIC, PARTITIONS, records, _BYTES, _BEGIN, _HOURS * _HOUR)
    say(f"{records:,} records over {_HOURS} hours")
    for case, hour in ((LAST, _HOURS - 1), (MIDDLE, _HOURS // 2)):
        since = _BEGIN + hour * _HOUR
        ways = _ways(engine, cluster, since, since + _HOUR, records // _HOURS)
        alternate(engine, readings, SUITE, case, ways, lambda _: effort.repetitions)
        for name, read in ways.items():
            readings.add(Reading(SUITE, case, name, FETCHED, "MiB", (_fetched(engine, read) / 2**20,)))
    cluster.delete_topic(_TOPIC)


def _ways(
    engine: Engine, cluster: KafkaCluster, since: int, until: int, expected: int
) -> Mapping[str, Callable[[], None]]:
    listed = ClusterMetadata([_TOPIC], bootstrap_servers=cluster.bootstrap_servers)
    service = InMemoryMetadataService([KafkaStream(_TOPIC, {cluster.name: listed})])

    def ours(end: Any) -> DataFrame:
        return DynamicKafkaSource.builder(engine.spark).metadata_service(service).stream_ids(_TOPIC).bounded(end).load()

    def peer(**times: str) -> DataFrame:
        given = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": _TOPIC, **TUNING, **times}
        return engine.spark.read.format("kafka").options(**given).load()

    def read(frame: Callable[[], DataFrame]) -> Callable[[], None]:
        hour = f"timestamp >= timestamp_millis({since}) AND timestamp < timestamp_millis({until})"

        def one() -> None:
            row = frame().where(hour).agg(count("*"), total(length("value"))).first()
            if row is None or tuple(row) != (expected, expected * _BYTES):
                raise AssertionError(f"{expected} records are there, and {row} was read.")

        return one

    times = {"startingTimestamp": str(since), "endingTimestamp": str(until)}
    return {
        FILTER: read(lambda: ours("latest")),
        ENDED: read(lambda: ours({"timestamp": until})),
        PEER_FILTER: read(peer),
        PEER_TIMES: read(lambda: peer(**times)),
    }


def _fetched(engine: Engine, read: Callable[[], None]) -> float:
    """The bytes that the consumers of one read receive. Both sources keep consumers open for longer than the read."""
    before = _received(engine)
    read()
    return sum(now - before.get(client, 0.0) for client, now in _received(engine).items())


def _received(engine: Engine) -> dict[str, float]:
    """The bytes that each consumer has received since it was opened."""
    return dict(engine.isolated("ConsumerBytes").received())
