"""The two Spark sources that are compared, with the same topics of the same clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from dynamic_kafka import ClusterMetadata, DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame, SparkSession

OURS = "dynamic-kafka"
UNION = "union of Spark's sources"
STREAM = "bench"
# Tried beside its defaults, 500 records a poll: 5,000 and 50,000, larger fetches, and two tasks for each cluster. With
# 5,000 it took a sixth less CPU time, and with none of the others less than that.
FASTEST = {"kafka.max.poll.records": "5000"}


@dataclass(frozen=True, slots=True)
class Listed:
    """One topic of one cluster, as a user's metadata would list it."""

    cluster_id: str
    address: str
    topic: str


class OurSource:
    """Ours at its defaults."""

    def __init__(self, spark: SparkSession, listed: Sequence[Listed]) -> None:
        clusters = {one.cluster_id: ClusterMetadata([one.topic], {"bootstrap.servers": one.address}) for one in listed}
        self.service = InMemoryMetadataService([KafkaStream(STREAM, clusters)])
        self._spark = spark

    def batch(self) -> DataFrame:
        builder = DynamicKafkaSource.builder(self._spark).metadata_service(self.service).stream_ids(STREAM)
        return builder.bounded("latest").load()

    def stream(self, starting: str = "earliest") -> DataFrame:
        builder = DynamicKafkaSource.builder(self._spark).metadata_service(self.service).stream_ids(STREAM)
        return builder.starting_offsets(starting).load()


class UnionSource:
    """One read by Spark's own Kafka source for each cluster, and their union, at the settings it is fastest with."""

    def __init__(self, spark: SparkSession, listed: Sequence[Listed]) -> None:
        self._spark = spark
        self._listed = listed

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
                **FASTEST,
            }
            for one in self._listed
        ]

    @staticmethod
    def _union(frames: Sequence[DataFrame]) -> DataFrame:
        return reduce(DataFrame.union, frames)
