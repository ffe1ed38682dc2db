"""A kit for tests of your own queries: two real Kafka clusters, and streams that a test moves.

    pip install 'dynamic-kafka-spark[testing]'

Kafka runs as processes of this machine, with the Java that Spark uses; no containers. The first test fetches Kafka's
jars, 41 MB, once. pytest knows the fixture `kafka_testbed`, a `KafkaTestbed`, as soon as this is installed.
"""

from importlib import util

if util.find_spec("confluent_kafka") is None:
    raise ModuleNotFoundError(
        "dynamic_kafka.testing needs confluent-kafka. Install it: pip install 'dynamic-kafka-spark[testing]'",
        name="confluent_kafka",
    )

from dynamic_kafka._brokers import SetupError
from dynamic_kafka._brokers.waiting import eventually
from dynamic_kafka.testing._cluster import KafkaCluster
from dynamic_kafka.testing._each_once import assert_each_once
from dynamic_kafka.testing._records import Record
from dynamic_kafka.testing._testbed import KafkaTestbed

__all__ = ["KafkaCluster", "KafkaTestbed", "Record", "SetupError", "assert_each_once", "eventually"]
