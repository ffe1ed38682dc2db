"""A broker of the time when Kafka needed ZooKeeper."""

from pathlib import Path

from dynamic_kafka._brokers.settings import HOST

from tests.cluster.process_broker import ProcessBroker

_PROGRAM = Path(__file__).with_name("WithZooKeeper.java")
# What such a broker does not know, or takes for something else.
_OF_LATER = {
    "process.roles",
    "node.id",
    "controller.listener.names",
    "controller.quorum.voters",
    "broker.heartbeat.interval.ms",
    "broker.session.timeout.ms",
}


class ZooKeeperBroker(ProcessBroker):
    """Broker and ZooKeeper are one process, which ZooKeeper listens in at the controller's port. Kafka's id of the
    cluster is the broker's own choice."""

    def _command(self, properties: Path) -> list[str]:
        java = self.kafka.command(str(_PROGRAM), *self._java_options)
        return [*java, str(self.plan.listeners.controller), str(self._zookeeper), str(properties)]

    def _properties(self) -> dict[str, str]:
        if self.plan.settings.users or self.plan.settings.certificates:
            raise ValueError(f"Broker {self.plan.name} is too old for users and certificates of these tests.")
        given = {key: value for key, value in super()._properties().items() if key not in _OF_LATER}
        listeners = [one for one in given["listeners"].split(",") if not one.startswith("CONTROLLER:")]
        return {
            **given,
            "listeners": ",".join(listeners),
            "log.dirs": str(self._data / "kafka"),
            "broker.id": str(self.plan.quorum.number),
            "zookeeper.connect": f"{HOST}:{self.plan.listeners.controller}",
            "zookeeper.session.timeout.ms": "2000",
        }

    def _format(self, _properties: Path, _kafka_id: str) -> None:
        self._zookeeper.mkdir(parents=True)

    @property
    def _zookeeper(self) -> Path:
        return self._data / "zookeeper"
