"""One Kafka cluster of a single broker, which a test may use and maltreat."""

import base64
import uuid
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AclOperation, ResourceType

from tests.cluster import access
from tests.cluster.broker import Broker, BrokerPlan
from tests.cluster.patience import PATIENCE
from tests.cluster.topics import Topics
from tests.cluster.waiting import NotYet, eventually

_SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="{user}" password="{password}";'


class KafkaCluster(Topics):
    """Keeps its port and its data through kill, stop and pause; ``rebuild`` puts another cluster at its address."""

    def __init__(self, plan: BrokerPlan, broker: Broker) -> None:
        super().__init__(plan.name, f"{broker.host}:{plan.listeners.inside}")
        self._plan = plan
        self._broker = broker
        self._passwords = dict(plan.settings.users)
        self.kafka_id = _new_kafka_id()

    @property
    def bootstrap_servers(self) -> str:
        """The address for clients, which have to log in if the cluster has users."""
        return f"{self._broker.host}:{self._plan.listeners.client}"

    @property
    def second_address(self) -> str:
        """Another address of the same cluster, where nobody has to log in."""
        return self._address

    def secure_address(self, listener: str) -> str:
        """The address of one of ``secure_listeners``, if the cluster has certificates."""
        return f"{self._broker.host}:{self._plan.listeners.secure[listener]}"

    @property
    def log(self) -> Path:
        """The file of what the broker printed."""
        self._broker.keep_log()
        return self._plan.log

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

    def start(self) -> None:
        """Starts the broker, on the data that is there, and returns when it answers. Harmless when it is up."""
        self._broker.start(self.kafka_id)
        eventually(f"cluster {self.name} answers", self._answers_or_has_ended, within=PATIENCE)
        for user, password in self._passwords.items():
            access.set_password(self._admin, user, password)
        for user in self._plan.settings.users:
            access.allow_all(self._admin, user)

    def stop(self) -> None:
        """Shuts the broker down in good order."""
        self._broker.stop()

    def kill(self) -> None:
        """Ends the broker as a crash would."""
        self._broker.kill()

    def restart(self) -> None:
        """A stop in good order and a start on the same data."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """Freezes the broker: connections stay open, requests get no answer."""
        self._broker.pause()

    def resume(self) -> None:
        """Ends a pause and returns when the broker answers again."""
        self._broker.resume()
        eventually(f"cluster {self.name} answers again", self._answers_or_has_ended, within=PATIENCE)

    def is_up(self) -> bool:
        """Whether the broker runs and answers within a second."""
        return self._broker.is_running() and self._answers()

    def heal(self) -> None:
        """Undoes what a test did to the broker: afterwards it is neither paused nor down."""
        self._broker.resume()
        self.start()

    def rebuild(self) -> None:
        """Replaces it by another, empty Kafka cluster, with another id, at the same address."""
        self._broker.kill()
        self._broker.wipe()
        self.kafka_id = _new_kafka_id()
        self._connect()
        self.start()

    def set_password(self, user: str, password: str) -> None:
        """Creates a user who may do all with topics and groups, or changes a password; connections that are open stay
        logged in."""
        self.add_user(user, password)
        access.allow_all(self._admin, user)

    def add_user(self, user: str, password: str) -> None:
        """Creates a user who may do nothing, or changes a password."""
        access.set_password(self._admin, user, password)
        self._passwords[user] = password

    def allow(self, user: str, operation: AclOperation, topic: str) -> None:
        """Allows a user one operation on a topic."""
        access.allow(self._admin, user, operation, ResourceType.TOPIC, topic)

    def allow_group(self, user: str, operation: AclOperation, group: str) -> None:
        """As ``allow``, for a consumer group."""
        access.allow(self._admin, user, operation, ResourceType.GROUP, group)

    def forbid(self, user: str, topic: str) -> None:
        """Denies ``user`` everything on ``topic``."""
        access.forbid(self._admin, user, topic)

    def permit(self, user: str, topic: str) -> None:
        """Takes back what ``forbid`` denied."""
        access.permit(self._admin, user, topic)

    def forbid_group(self, user: str, group: str) -> None:
        """As ``forbid``, for a consumer group."""
        access.forbid(self._admin, user, group, ResourceType.GROUP)

    def permit_group(self, user: str, group: str) -> None:
        """Takes back what ``forbid_group`` denied."""
        access.permit(self._admin, user, group, ResourceType.GROUP)

    def destroy(self) -> None:
        """Ends the broker and deletes its data."""
        self._broker.kill()
        self._broker.wipe()

    def _answers(self) -> bool:
        try:
            return bool(self._admin.list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def _answers_or_has_ended(self) -> bool:
        if not self._broker.is_running():
            raise RuntimeError(f"The broker of cluster {self.name} ended. From its log:\n{_complaints(self.log)}")
        if not self._answers():
            raise NotYet(f"no answer from {self._address}")
        return True


def _complaints(log: Path) -> str:
    """The lines of a broker's log that tell best why it ended: its errors, else its last words."""
    lines = log.read_text(errors="replace").splitlines()
    errors = [line for line in lines if " ERROR " in line or "Exception" in line]
    return "\n".join((errors or lines)[-20:])


def _new_kafka_id() -> str:
    """An id as Kafka makes them: 22 characters of Base64, the first no dash, which would look like an option."""
    made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    return made if not made.startswith("-") else _new_kafka_id()
