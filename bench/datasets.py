"""The data to read: topics of many records, the same on several clusters, written once."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.cluster import KafkaCluster

from bench.console import say
from bench.engine import Engine

PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Dataset:
    """``records`` per cluster, each with a value of ``size`` bytes."""

    records: int
    size: int
    codec: str

    @property
    def topic(self) -> str:
        return f"values-{self.size}-{self.codec}"

    def __str__(self) -> str:
        return f"{self.size} B, {self.codec}"


def fill(engine: Engine, clusters: Sequence[KafkaCluster], dataset: Dataset) -> None:
    """Creates the topic on each cluster and writes it."""
    writer = engine.isolated("Fill")
    for cluster in clusters:
        cluster.create_topic(dataset.topic, PARTITIONS)
        address = cluster.bootstrap_servers
        writer.write(address, dataset.topic, PARTITIONS, dataset.records, dataset.size, dataset.codec)
        say(f"cluster {cluster.name}: {dataset.records:,} records of {dataset}")
