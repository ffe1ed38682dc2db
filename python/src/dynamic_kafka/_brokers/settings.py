"""How a broker is set up that lives for a test or a demo."""

from __future__ import annotations

from collections.abc import Mapping

# Where brokers listen, and what they advertise.
HOST = "127.0.0.1"

# Kafka's own topics, a copy of which every broker holds.
OWN_TOPICS = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")

# Small, quick and strict: no waiting for group members, and what a broker does in the background (compaction, deletion)
# is done within a second or so, because tests wait for it. A dozen of them run side by side, mostly idle: few threads,
# and nothing that nobody waits for.
SMALL_BROKER = {
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "num.partitions": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "2",
    "log.initial.task.delay.ms": "500",
    "log.retention.check.interval.ms": "60000",
    # JMX beans of all metrics would take a sixth of a start.
    "metric.reporters": "",
    "log.segment.delete.delay.ms": "100",
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.dedupe.buffer.size": "4194304",
    # The controller refuses a broker that comes back until the session of the killed one has ended.
    "broker.heartbeat.interval.ms": "300",
    "broker.session.timeout.ms": "2000",
    # An idle controller would write a record that says nothing, twice a second.
    "metadata.max.idle.interval.ms": "0",
}

# A small heap, and a quick start.
SMALL_JAVA = ("-Xmx384m", "-Xmn24m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
# Kafka brings another logging provider.
LOGGING = (
    "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
)


def placed(
    number: int,
    controllers: Mapping[int, int],
    ports: Mapping[str, int],
    *,
    advertised: Mapping[str, int] | None = None,
    protocols: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The server properties of a small broker, which is a controller too.

    ``number`` is its own, and ``controllers`` has each broker's number with the port of its controller. ``ports`` are
    those of its listeners by name, of which brokers use the first; ``advertised`` are those that it sends clients to,
    if they differ, and ``protocols`` those that are not PLAINTEXT.
    """
    sent_to = {**ports, **(advertised or {})}
    listening = {**ports, "CONTROLLER": controllers[number]}
    spoken = {**dict.fromkeys(listening, "PLAINTEXT"), **(protocols or {})}
    return {
        **SMALL_BROKER,
        **{f"{topic}.replication.factor": str(len(controllers)) for topic in OWN_TOPICS},
        "node.id": str(number),
        "controller.quorum.voters": ",".join(f"{node}@{HOST}:{port}" for node, port in controllers.items()),
        "inter.broker.listener.name": next(iter(ports)),
        "listeners": _addresses(listening),
        "advertised.listeners": _addresses(sent_to),
        "listener.security.protocol.map": ",".join(f"{name}:{spoken[name]}" for name in listening),
    }


def _addresses(ports: Mapping[str, int]) -> str:
    return ",".join(f"{name}://{HOST}:{port}" for name, port in ports.items())
