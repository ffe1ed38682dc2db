"""How a broker of a test is set up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dynamic_kafka._brokers.settings import OWN_TOPICS, SMALL_JAVA, placed

from tests.cluster.certificates import Certificates
from tests.cluster.secure_listeners import PROTOCOLS, secure_java_options, secure_properties
from tests.cluster.versions import chosen_version

_WITH_USERS = {
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.client.scram-sha-256.sasl.jaas.config": (
        "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    ),
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    # The tests themselves, who come through the inside listener.
    "super.users": "User:ANONYMOUS",
}


@dataclass(frozen=True)
class ServerSettings:
    """What one cluster has of its own.

    It has as many ``brokers``, of this ``version`` of Kafka. Each holds a copy of Kafka's own topics; other topics have
    one copy, unless they ask for more. With ``racks``, one for each broker, a client that names its rack reads there.
    With ``users`` (name to password) clients have to log in, by SCRAM-SHA-256 over SASL_PLAINTEXT; these users may do
    all with topics and groups, others nothing that no rule allows. With ``certificates`` too there are the listeners of
    ``secure_listeners``. ``properties`` are server properties and win. ``java_options`` by default start fast on a
    small heap; benchmarks give their own. ``advertised_ports`` are more listeners by name, each with the port where it
    sends its clients, since something stands between them and it.
    """

    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    certificates: Certificates | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    java_options: tuple[str, ...] = SMALL_JAVA
    advertised_ports: Mapping[str, int] = field(default_factory=dict)
    brokers: int = 1
    racks: tuple[str, ...] = ()
    version: str = field(default_factory=chosen_version)

    def all_java_options(self) -> tuple[str, ...]:
        """Those of ``java_options`` and those that the listeners need."""
        return self.java_options + (secure_java_options(self.certificates) if self.certificates else ())


@dataclass(frozen=True, slots=True)
class Listeners:
    """The ports of one broker: for clients, for the tests themselves, for the controller, and by name those of
    ``secure_listeners`` and of ``advertised_ports``."""

    client: int
    inside: int
    controller: int
    secure: Mapping[str, int] = field(default_factory=dict)
    advertised: Mapping[str, int] = field(default_factory=dict)

    def for_clients(self) -> dict[str, int]:
        """By name, all but the controller's."""
        return {"CLIENT": self.client, "INSIDE": self.inside, **self.secure, **self.advertised}


@dataclass(frozen=True, slots=True)
class Quorum:
    """Which broker of its cluster it is, by its number in Kafka; and the ports of all controllers by number, for every
    broker is one."""

    number: int
    controllers: Mapping[int, int]


def server_properties(settings: ServerSettings, listeners: Listeners, quorum: Quorum) -> dict[str, str]:
    """All server properties of a broker, but for where its data is."""
    protocols = {"CLIENT": "SASL_PLAINTEXT"} if settings.users else {}
    least = {f"{topic}.min.isr": str(min(2, len(quorum.controllers))) for topic in OWN_TOPICS if "offsets" not in topic}
    return {
        **placed(
            quorum.number,
            quorum.controllers,
            listeners.for_clients(),
            advertised=settings.advertised_ports,
            protocols={**PROTOCOLS, **protocols},
        ),
        # Some records of tests are of another year.
        "log.retention.ms": "-1",
        "inter.broker.listener.name": "INSIDE",
        # Kafka's own topics go on without one broker, where there are several.
        **least,
        **(_in_rack(settings.racks[quorum.number - 1]) if settings.racks else {}),
        **(_WITH_USERS if settings.users else {}),
        **(secure_properties(settings.certificates, settings.users) if settings.certificates else {}),
        **settings.properties,
    }


def _in_rack(rack: str) -> dict[str, str]:
    return {
        "broker.rack": rack,
        "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    }
