"""One Kafka cluster, of a single broker mostly, which a test may use and break."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from dynamic_kafka._brokers.broker import new_kafka_id
from dynamic_kafka._brokers.settings import HOST

from tests.cluster.access import Access
from tests.cluster.process_broker import ProcessBroker

_VERSION = re.compile(r"Kafka version ?: (\S+)")
_SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="{user}" password="{password}";'


class KafkaCluster(Access):
    """Keeps its ports and its data through kill, stop and pause; ``rebuild`` puts another cluster at its address.

    What is done to the cluster is done to all its brokers, unless a ``number`` says which: they count from 1.
    """

    _brokers: Sequence[ProcessBroker]

    def __init__(self, name: str, brokers: Sequence[ProcessBroker]) -> None:
        self._settings = settings = brokers[0].plan.settings
        inside = (f"{HOST}:{it.plan.listeners.inside}" for it in brokers)
        super().__init__(name, ",".join(inside), brokers, settings.users)

    @property
    def brokers(self) -> list[int]:
        """Their numbers."""
        return [it.number for it in self._brokers]

    @property
    def bootstrap_servers(self) -> str:
        """The addresses for clients, which have to log in if the cluster has users."""
        return ",".join(map(self.address, self.brokers))

    def address(self, number: int) -> str:
        """The address of one broker for clients."""
        (broker,) = self._chosen(number)
        return broker.address

    def port(self, listener: str = "CLIENT") -> int:
        """Where a cluster of one broker listens, behind the address that it advertises."""
        (broker,) = self._brokers
        return broker.plan.listeners.for_clients()[listener]

    @property
    def second_address(self) -> str:
        """Another address of the same cluster, where nobody has to log in."""
        return self._address

    def secure_address(self, listener: str) -> str:
        """The address of one of ``secure_listeners``, if the cluster has certificates."""
        return ",".join(f"{HOST}:{it.plan.listeners.secure[listener]}" for it in self._brokers)

    def logs(self) -> dict[str, Path]:
        """By name of each broker, the file of what it printed."""
        return {it.name: it.log for it in self._brokers}

    def versions(self) -> set[str]:
        """Which Kafka its brokers say that they are."""
        return {said for log in self.logs().values() for said in _VERSION.findall(log.read_text(errors="replace"))}

    def properties(self, user: str | None = None) -> dict[str, str]:
        """What a Java client needs to connect: the address, and the login of ``user`` with the present password."""
        address = {"bootstrap.servers": self.bootstrap_servers}
        if user is None:
            return address
        login = _SCRAM.format(user=user, password=self._passwords[user])
        return {
            **address,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.jaas.config": login,
        }

    def start(self, number: int | None = None) -> None:
        self._start(self._chosen(number))
        if number is None:
            self._let_users_in()

    def stop(self, number: int | None = None) -> None:
        self._stop(self._chosen(number))

    def kill(self, number: int | None = None) -> None:
        self._kill(self._chosen(number))

    def restart(self, number: int | None = None) -> None:
        """A stop in good order and a start on the same data."""
        self.stop(number)
        self.start(number)

    def pause(self, number: int | None = None) -> None:
        self._pause(self._chosen(number))

    def resume(self, number: int | None = None) -> None:
        self._resume(self._chosen(number))

    def rebuild(self) -> None:
        """Replaces it by another, empty Kafka cluster, with another id, at the same address."""
        self._destroy()
        self.kafka_id = new_kafka_id()
        self._connect()
        self.start()

    def copy_log(self, topic: str, into: Path) -> None:
        """Copies what the brokers have stored of a topic. Only while they are down."""
        for folder in self._stored(topic):
            shutil.copytree(folder, into / folder.relative_to(self._root))

    def put_back_log(self, topic: str, copied: Path) -> None:
        """Replaces that by an earlier copy, as a disk does that has lost writes. Only while the brokers are down."""
        for folder in self._stored(topic):
            shutil.rmtree(folder)
            shutil.copytree(copied / folder.relative_to(self._root), folder)

    @property
    def _root(self) -> Path:
        return self._brokers[0].folder.parent

    def _stored(self, topic: str) -> list[Path]:
        return list(self._root.glob(f"*/data/**/{topic}-[0-9]*/"))

    def _chosen(self, number: int | None) -> list[ProcessBroker]:
        return [it for it in self._brokers if number in (None, it.number)]

    def _let_users_in(self) -> None:
        for user, password in self._passwords.items():
            (self.set_password if user in self._settings.users else self.add_user)(user, password)
