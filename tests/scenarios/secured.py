"""Clusters that share nothing by which one logs in: not the authority, the user, the password nor the way."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.cluster.certificates import Certificates, make_certificates
from tests.scenarios.session import KAFKA_PASSWORD

_MODULES = "org.apache.kafka.common.security"
PLAIN = f'{_MODULES}.plain.PlainLoginModule required username="{{user}}" password="{{password}}";'
_SCRAM = f'{_MODULES}.scram.ScramLoginModule required username="{{user}}" password="{{password}}";'


@dataclass(frozen=True)
class Secured:
    """A cluster, the listener that is used of it, and what it takes to get in there, the address left out."""

    cluster: KafkaCluster
    listener: str
    properties: Mapping[str, str]

    @property
    def address(self) -> str:
        return self.cluster.secure_address(self.listener)

    def on(self, topic: str, properties: Mapping[str, str] | None = None) -> ClusterMetadata:
        """The topic there, with these properties in place of its own if given."""
        return ClusterMetadata([topic], {**(properties or self.properties), "bootstrap.servers": self.address})


def by_scram(certificates: Certificates, user: str, password: str) -> dict[str, str]:
    """SASL/SCRAM over TLS, with a trust store in PEM."""
    login = {"sasl.mechanism": "SCRAM-SHA-512", "sasl.jaas.config": _SCRAM.format(user=user, password=password)}
    return {"security.protocol": "SASL_SSL", **login, **_trusting(certificates)}


def by_certificate(certificates: Certificates, trusting: Certificates) -> dict[str, str]:
    """Mutual TLS in PEM: as the user of the first, with a broker of the second."""
    identity = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": certificates.text("user.key"),
        "ssl.keystore.certificate.chain": certificates.text("user.pem"),
    }
    return {"security.protocol": "SSL", **identity, **_trusting(trusting)}


def by_plain(certificates: Certificates, user: str, password: str) -> dict[str, str]:
    """SASL/PLAIN over TLS, with a trust store in JKS that has a password of its own."""
    store = {
        "ssl.truststore.type": "JKS",
        "ssl.truststore.location": str(certificates.folder / "broker-trust.jks"),
        "ssl.truststore.password": certificates.password,
    }
    login = {"sasl.mechanism": "PLAIN", "sasl.jaas.config": PLAIN.format(user=user, password=password)}
    return {"security.protocol": "SASL_SSL", **login, **store}


def by_token(certificates: Certificates, url: str, client: str, secret: str) -> dict[str, str]:
    """SASL/OAUTHBEARER over TLS, by tokens that are asked for at this address."""
    login = {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": f"{_MODULES}.oauthbearer.OAuthBearerLoginModule required "
        f'ssl.truststore.type="PEM" ssl.truststore.location="{certificates.folder}/broker.pem";',
        "sasl.login.callback.handler.class": f"{_MODULES}.oauthbearer.OAuthBearerLoginCallbackHandler",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.oauthbearer.client.credentials.client.id": client,
        "sasl.oauthbearer.client.credentials.client.secret": secret,
    }
    return {"security.protocol": "SASL_SSL", **login, **_trusting(certificates)}


def _trusting(certificates: Certificates) -> dict[str, str]:
    return {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": certificates.text("broker.pem")}


@dataclass(frozen=True)
class ThreeSecured:
    """`scram`, `mutual` and `plain`, by the way to log in, and another certificate of the user of `mutual`."""

    scram: Secured
    mutual: Secured
    plain: Secured
    renewed: Mapping[str, str]

    def all(self) -> dict[str, Secured]:
        return {"scram": self.scram, "mutual": self.mutual, "plain": self.plain}

    def each(self, topic: str, **instead: Mapping[str, str]) -> dict[str, ClusterMetadata]:
        """The topic on each, with other properties for some."""
        return {name: one.on(topic, instead.get(name)) for name, one in self.all().items()}


def start_secured(
    clusters: KafkaClusters, guarded: KafkaCluster, known: Certificates, folder: Callable[[str], Path]
) -> ThreeSecured:
    """Starts two clusters beside the guarded one, whose certificates are given."""
    made = {"mutual": "accountant", "plain": "auditor", "renewed": "accountant"}
    with ThreadPoolExecutor(len(made)) as pool:
        mutual, plain, renewed = pool.map(
            lambda it: make_certificates(folder(it[0]), it[1], f"of-{it[0]}"), made.items()
        )
    # Of two certificates in one line Kafka sees the last alone; in a file of properties a line end is written so.
    trusted = f"{mutual.text('user.pem')}\\n{renewed.text('user.pem')}"
    both = {"listener.name.mutual.ssl.truststore.certificates": trusted}
    settings = {
        "mutual": ServerSettings(users={"accountant": "unused"}, certificates=mutual, properties=both),
        "plain": ServerSettings(users={"reader": "second"}, certificates=plain),
    }
    with ThreadPoolExecutor(len(settings)) as pool:
        started = list(pool.map(lambda it: clusters.start(it[0], settings=it[1])[0], settings.items()))
    return ThreeSecured(
        Secured(guarded, "SCRAM", by_scram(known, "reader", KAFKA_PASSWORD)),
        Secured(started[0], "MUTUAL", by_certificate(mutual, mutual)),
        Secured(started[1], "PLAIN_TLS", by_plain(plain, "reader", "second")),
        by_certificate(renewed, mutual),
    )
