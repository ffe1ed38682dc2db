"""The two Spark sources that are compared, with the same topics of the same clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal

from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame, SparkSession

OURS = "dynamic-kafka"
UNION = "tuned union"
DEFAULT_UNION = "default union"
STREAM = "bench"
# What makes Spark's own source fastest. By default a broker waits half a second at the end of what a task reads, and so
# does the next task with that consumer: a third of the time of a large read, two thirds of a small one. 5,000 records a
# poll instead of 500 take a sixth less CPU time. 50,000, larger fetches or two tasks a cluster gain nothing more.
TUNING = {"kafka.max.poll.records": "5000", "kafka.fetch.max.wait.ms": "10"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One topic of one cluster, as in a user's metadata. ``login`` are the client properties beside the address."""

    cluster_id: str
    address: str
    topic: str
    login: Mapping[str, str] = field(default_factory=dict)

    def cluster(self) -> ClusterMetadata:
        """The same for a metadata service."""
        return ClusterMetadata([self.topic], {"bootstrap.servers": self.address, **self.login})


class OurSource:
    """Ours at its defaults."""

    def __init__(self, spark: SparkSession, listed: Sequence[Listed]) -> None:
        clusters = {one.cluster_id: one.cluster() for one in listed}
        self.service = InMemoryMetadataService([KafkaStream(STREAM, clusters)])
        self._spark = spark

    def batch(self) -> DataFrame:
        builder = DynamicKafkaSource.builder(self._spark).metadata_service(self.service).stream_ids(STREAM)
        return builder.bounded("latest").load()

    def stream(self, starting: str = "earliest", *, unavailable: Literal["fail", "skip"] = "fail") -> DataFrame:
        builder = DynamicKafkaSource.builder(self._spark).metadata_service(self.service).stream_ids(STREAM)
        return builder.starting_offsets(starting).unavailable_cluster_policy(unavailable).load()


class UnionSource:
    """One read by Spark's own Kafka source for each cluster, and their union. ``options`` are added to each."""

    def __init__(self, spark: SparkSession, listed: Sequence[Listed], options: Mapping[str, str]) -> None:
        self._spark = spark
        self._listed = listed
        self._options = options

    def batch(self) -> DataFrame:
        return self._union(
            [self._spark.read.format("kafka").options(**given).load() for given in self._given("earliest")]
        )

    def stream(self, starting: str = "earliest") -> DataFrame:
        return self._union(
            [self._spark.readStream.format("kafka").options(**given).load() for given in self._given(starting)]
        )

    def _given(self, starting: str) -> list[dict[str, str]]:
        return [
            {
                "kafka.bootstrap.servers": one.address,
                "subscribe": one.topic,
                "startingOffsets": starting,
                **{f"kafka.{name}": value for name, value in one.login.items()},
                **self._options,
            }
            for one in self._listed
        ]

    @staticmethod
    def _union(frames: Sequence[DataFrame]) -> DataFrame:
        return reduce(DataFrame.union, frames)


def sources(spark: SparkSession, listed: Sequence[Listed]) -> dict[str, OurSource | UnionSource]:
    """All sources to compare, by name."""
    return {
        OURS: OurSource(spark, listed),
        UNION: UnionSource(spark, listed, TUNING),
        DEFAULT_UNION: UnionSource(spark, listed, {}),
    }
