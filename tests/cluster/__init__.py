"""Several real Kafka clusters on this machine, for tests and benchmarks.

Brokers are local processes from Maven's jars. A test may kill, pause, stop, restart and rebuild each of them. None
outlives the process that started it.
"""

from tests.cluster.clusters import KafkaClusters
from tests.cluster.kafka_cluster import KafkaCluster
from tests.cluster.records import Record
from tests.cluster.server_settings import ServerSettings
from tests.cluster.waiting import NotYet, eventually

__all__ = ["KafkaCluster", "KafkaClusters", "NotYet", "Record", "ServerSettings", "eventually"]
