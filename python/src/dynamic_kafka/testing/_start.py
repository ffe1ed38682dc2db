"""What the fixtures do."""

from __future__ import annotations

import os
from pathlib import Path

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.broker import Kafka
from dynamic_kafka._brokers.jars import class_path
from dynamic_kafka._java_program import require_java
from dynamic_kafka.testing._cluster import KafkaCluster
from dynamic_kafka.testing._clusters import Clusters, SmallClusters
from dynamic_kafka.testing._testbed import CLUSTERS, KafkaTestbed


def two_clusters(folder: Path) -> Clusters[KafkaCluster]:
    """Starts two clusters. Raises `SetupError` or `NoJavaError` with what to do."""
    if os.name != "posix":
        raise SetupError("The test clusters run on Linux and macOS; on Windows, in WSL.")
    clusters = SmallClusters(folder, Kafka(require_java(), class_path()))
    try:
        clusters.start(*CLUSTERS)
    except BaseException:
        clusters.close()
        raise
    return clusters


def testbed(clusters: Clusters[KafkaCluster], file: Path) -> KafkaTestbed:
    """A testbed on clusters that an earlier test may have broken or written to."""
    clusters.heal()
    for cluster in clusters:
        for topic in cluster.topics():
            cluster.delete_topic(topic)
    return KafkaTestbed(clusters, file)
