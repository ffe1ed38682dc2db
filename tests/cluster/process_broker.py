"""A broker of a test, of any version of Kafka, on jars of Maven's."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dynamic_kafka._brokers import KAFKA_VERSION
from dynamic_kafka._brokers.broker import Broker, Kafka
from dynamic_kafka._brokers.jars import class_path as pinned_class_path

from tests.cluster.server_settings import Listeners, Quorum, ServerSettings, server_properties
from tests.cluster.versions import needs_zookeeper
from tests.packages import fetched

# What the package pins, and here the same of other versions.
ARTIFACTS = (
    "org.apache.kafka:kafka_2.13:{version}",
    "org.apache.kafka:kafka-tools:{version}",
    "org.slf4j:slf4j-simple:2.0.17",
)
# Of the time when a broker needed ZooKeeper. Java 17 needs one whose client can read what addresses look like there.
_OLD_JARS = (
    "org.apache.kafka:kafka_2.12:{version}",
    "org.apache.zookeeper:zookeeper:3.5.9",
    "org.slf4j:slf4j-simple:1.7.36",
)


@functools.cache
def kafka(version: str) -> Kafka:
    """Kafka's server and tools: of the pinned list, else resolved once through jgo, which keeps what it fetched."""
    if version == KAFKA_VERSION:
        return Kafka("java", pinned_class_path())
    jars = _OLD_JARS if needs_zookeeper(version) else ARTIFACTS
    # ZooKeeper brings a way to log of its own.
    found = fetched("+".join(jars).format(version=version))
    return Kafka("java", ":".join(str(jar) for jar in found if not jar.name.startswith("slf4j-log4j12")))


@dataclass(frozen=True)
class BrokerPlan:
    """Where one broker lives: its name, its own folder, its ports, its place in the cluster, and settings."""

    name: str
    folder: Path
    listeners: Listeners
    quorum: Quorum
    settings: ServerSettings


class ProcessBroker(Broker):
    """One by a plan."""

    def __init__(self, plan: BrokerPlan, java_options: Sequence[str] = ()) -> None:
        """``java_options`` are beside those of the plan."""
        settings = plan.settings
        properties = server_properties(settings, plan.listeners, plan.quorum)
        options = (*settings.all_java_options(), *java_options)
        super().__init__(plan.name, plan.folder, kafka(settings.version), properties, options)
        self.plan = plan
