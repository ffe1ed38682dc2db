"""Everything that a run has its hands on."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.chaos.checkpoint import Checkpoint
from tests.chaos.driver import Driver
from tests.chaos.journal import Journal
from tests.chaos.ledger import Ledger
from tests.chaos.metadata_file import MetadataFile
from tests.chaos.producers import Producers
from tests.chaos.sink import Sink
from tests.chaos.spark_cluster import SparkCluster
from tests.chaos.table import Table
from tests.cluster import KafkaCluster

# Who logs in at the guarded cluster.
USER = "reader"


@dataclass(frozen=True, slots=True)
class Stage:
    """``spark`` is the standalone cluster that the driver runs on, if it does."""

    clusters: Mapping[str, KafkaCluster]
    topics: tuple[str, ...]
    journal: Journal
    ledger: Ledger
    producers: Producers
    file: MetadataFile
    driver: Driver
    table: Table | Sink
    checkpoint: Checkpoint
    spark: SparkCluster | None

    @property
    def several(self) -> str:
        """The cluster of several brokers; empty without one."""
        return several(self.clusters)


def several(clusters: Mapping[str, KafkaCluster]) -> str:
    """The first that has several brokers; empty without one."""
    return next((name for name, cluster in clusters.items() if len(cluster.brokers) > 1), "")
