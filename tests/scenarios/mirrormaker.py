"""Kafka's own MirrorMaker 2, as a process beside two clusters."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition
from dynamic_kafka._brokers import KAFKA_VERSION
from dynamic_kafka._brokers.settings import LOGGING
from dynamic_kafka._brokers.supervised import Supervised
from dynamic_kafka.testing._patience import QUICK

from tests.cluster import KafkaCluster
from tests.packages import fetched

IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
_ARTIFACTS = (f"org.apache.kafka:connect-mirror:{KAFKA_VERSION}", "org.slf4j:slf4j-simple:2.0.17")
_JAVA = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
# Looks every second at what it looks at every minute or ten by default. One broker holds one replica.
_SETTINGS = {
    "replication.factor": 1,
    "checkpoints.topic.replication.factor": 1,
    "offset-syncs.topic.replication.factor": 1,
    "offset.storage.replication.factor": 1,
    "status.storage.replication.factor": 1,
    "config.storage.replication.factor": 1,
    "offset.storage.partitions": 1,
    "status.storage.partitions": 1,
    "offset.flush.interval.ms": 1000,
    "refresh.topics.interval.seconds": 1,
    "refresh.groups.interval.seconds": 1,
    "emit.checkpoints.interval.seconds": 1,
    "sync.group.offsets.interval.seconds": 1,
    "sync.group.offsets.enabled": "true",
    "sync.topic.acls.enabled": "false",
    "emit.heartbeats.enabled": "false",
    "tasks.max": 1,
}


@contextmanager
def mirroring(
    source: KafkaCluster, target: KafkaCluster, topic: str, group: str, folder: Path, **settings: str
) -> Iterator[Supervised]:
    """Copies a topic and the offsets of a group from one cluster to another; their names are the aliases. Underscores
    in names of settings are dots. At the end of the block it is killed, if it still runs."""
    more = {name.replace("_", "."): value for name, value in settings.items()}
    way = f"{source.name}->{target.name}"
    properties = {
        **_SETTINGS,
        **more,
        "clusters": f"{source.name}, {target.name}",
        f"{source.name}.bootstrap.servers": source.bootstrap_servers,
        f"{target.name}.bootstrap.servers": target.bootstrap_servers,
        f"{way}.enabled": "true",
        f"{way}.topics": topic,
        f"{way}.groups": group,
        f"{target.name}->{source.name}.enabled": "false",
    }
    file = folder / "mirrormaker.properties"
    file.write_text("".join(f"{name} = {value}\n" for name, value in properties.items()))
    jars = ":".join(map(str, fetched("+".join(_ARTIFACTS))))
    main = "org.apache.kafka.connect.mirror.MirrorMaker"
    process = Supervised(["java", *_JAVA, *LOGGING, "-cp", jars, main, str(file)], folder / "mirrormaker.log")
    try:
        yield process
    finally:
        process.kill()


def raw_records(cluster: KafkaCluster, topic: str) -> list[tuple[bytes | None, bytes | None]]:
    """Key and value of each record of a topic of one partition."""
    end = cluster.end_offsets(topic)[0]
    consumer = Consumer({**QUICK, "bootstrap.servers": cluster.second_address, "group.id": "unused"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[tuple[bytes | None, bytes | None]] = []
    while consumer.position([TopicPartition(topic, 0)])[0].offset < end:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            found.append((message.key(), message.value()))
    consumer.close()
    return found
