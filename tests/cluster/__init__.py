"""Several real Kafka clusters on this machine, for tests and benchmarks.

They are those of the kit ``dynamic_kafka.testing``. Here a cluster may also have several brokers, users, certificates,
gates before it and older versions of Kafka, and may be rebuilt.
"""

from dynamic_kafka._brokers.waiting import NotYet
from dynamic_kafka.testing import Record, eventually

from tests.cluster.clusters import KafkaClusters
from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.server_settings import ServerSettings

__all__ = ["KafkaCluster", "KafkaClusters", "NotYet", "Record", "ServerSettings", "eventually"]
