"""One Kafka cluster, of a single broker mostly, which a test may use and break."""

import re
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from confluent_kafka import KafkaException

from tests.cluster.access import Access
from tests.cluster.process_broker import ProcessBroker, new_kafka_id
from tests.cluster.server_settings import HOST
from tests.cluster.waiting import NotYet, eventually

# How long brokers may take to come up, seconds, several clusters at once on a busy machine.
_STARTING = 180.0

_VERSION = re.compile(r"Kafka version ?: (\S+)")
_SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="{user}" password="{password}";'


class KafkaCluster(Access):
    """Keeps its ports and its data through kill, stop and pause; ``rebuild`` puts another cluster at its address.

    What is done to the cluster is done to all its brokers, unless a ``number`` says which: they count from 1.
    """

    def __init__(self, name: str, brokers: Sequence[ProcessBroker]) -> None:
        self._brokers = {broker.plan.quorum.number: broker for broker in brokers}
        self._settings = settings = brokers[0].plan.settings
        inside = (f"{HOST}:{it.plan.listeners.inside}" for it in brokers)
        super().__init__(name, ",".join(inside), settings.version, settings.users)
        self.kafka_id = new_kafka_id()

    @property
    def brokers(self) -> list[int]:
        """Their numbers."""
        return list(self._brokers)

    @property
    def bootstrap_servers(self) -> str:
        """The addresses for clients, which have to log in if the cluster has users."""
        return ",".join(map(self.address, self._brokers))

    def address(self, number: int) -> str:
        """The address of one broker for clients."""
        return f"{HOST}:{self._brokers[number].plan.listeners.client}"

    def port(self, listener: str = "CLIENT") -> int:
        """Where a cluster of one broker listens, behind the address that it advertises."""
        (broker,) = self._brokers.values()
        return broker.plan.listeners.for_clients()[listener]

    @property
    def second_address(self) -> str:
        """Another address of the same cluster, where nobody has to log in."""
        return self._address

    def secure_address(self, listener: str) -> str:
        """The address of one of ``secure_listeners``, if the cluster has certificates."""
        return ",".join(f"{HOST}:{it.plan.listeners.secure[listener]}" for it in self._brokers.values())

    def logs(self) -> dict[str, Path]:
        """By name of each broker, the file of what it printed."""
        return {it.plan.name: it.plan.log for it in self._brokers.values()}

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
        """Starts brokers, on the data that is there, and returns when they answer. Harmless when they are up."""
        self._each(lambda broker: broker.start(self.kafka_id), number)
        self._await_up(number)
        if number is None:
            self._let_users_in()

    def stop(self, number: int | None = None) -> None:
        """Shuts brokers down in good order."""
        self._each(lambda broker: broker.stop(), number)

    def kill(self, number: int | None = None) -> None:
        """Ends brokers as a crash would."""
        self._each(lambda broker: broker.kill(), number)

    def restart(self, number: int | None = None) -> None:
        """A stop in good order and a start on the same data."""
        self.stop(number)
        self.start(number)

    def pause(self, number: int | None = None) -> None:
        """Freezes brokers: connections stay open, requests get no answer."""
        self._each(lambda broker: broker.pause(), number)

    def resume(self, number: int | None = None) -> None:
        """Ends a pause and returns when the brokers answer again."""
        self._each(lambda broker: broker.resume(), number)
        self._await_up(number)

    def is_up(self, within: float = 1) -> bool:
        """Whether all brokers run and are there within so many seconds."""
        running = all(it.is_running() for it in self._brokers.values())
        return running and self._there(within) >= set(self._brokers)

    def heal(self) -> None:
        """Undoes what a test did to the brokers: afterwards none is paused or down."""
        self._each(lambda broker: broker.resume())
        self.start()

    def rebuild(self) -> None:
        """Replaces it by another, empty Kafka cluster, with another id, at the same address."""
        self.destroy()
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

    def destroy(self) -> None:
        """Ends the brokers and deletes their data."""
        self._each(lambda broker: broker.kill())
        self._each(lambda broker: broker.wipe())

    @property
    def _root(self) -> Path:
        return next(iter(self._brokers.values())).plan.folder.parent

    def _stored(self, topic: str) -> list[Path]:
        return list(self._root.glob(f"*/data/**/{topic}-[0-9]*/"))

    def _each(self, act: Callable[[ProcessBroker], None], number: int | None = None) -> None:
        chosen = self._chosen(number).values()
        with ThreadPoolExecutor(max_workers=len(chosen), thread_name_prefix=self.name) as pool:
            list(pool.map(act, chosen))

    def _chosen(self, number: int | None) -> dict[int, ProcessBroker]:
        return self._brokers if number is None else {number: self._brokers[number]}

    def _let_users_in(self) -> None:
        for user, password in self._passwords.items():
            (self.set_password if user in self._settings.users else self.add_user)(user, password)

    def _there(self, within: float) -> set[int]:
        """The numbers of the brokers that the cluster says to have; none if it does not answer in so many seconds."""
        try:
            return set(self._listed(within).brokers)
        except KafkaException:
            return set()

    def _await_up(self, number: int | None) -> None:
        wanted = self._chosen(number)

        def up() -> bool:
            for broker in wanted.values():
                if not broker.is_running():
                    said = _complaints(broker.plan.log)
                    raise RuntimeError(f"Broker {broker.plan.name} ended. From its log:\n{said}")
            missing = set(wanted) - self._there(5)
            if missing:
                raise NotYet(f"no broker {sorted(missing)} at {self._address}")
            return True

        eventually(f"cluster {self.name} answers", up, within=_STARTING)


def _complaints(log: Path) -> str:
    """The lines of a broker's log that say best why it ended: its errors, else its last lines."""
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if " ERROR " in line or "Exception" in line]
    return "\n".join((errors or lines)[-20:])
