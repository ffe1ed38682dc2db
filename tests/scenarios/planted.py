"""Secrets that are planted by each way a secret comes in, and found again in whatever form they may show up."""

import base64
import os
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster
from tests.scenarios.session import PLANTED

_LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


class Planted:
    """Secrets that no text may hold, by the way they come in.

    ``control`` is no secret: it is given to what is shown everywhere, so that a search which finds it in a text would
    have found a secret there, too.
    """

    def __init__(self, folder: Path) -> None:
        self.control = f"control-{uuid.uuid4().hex}"
        ways = ("written out", "login", "unknown property", "text", "file", "option's file")
        self.by_way = {way: f"planted-{uuid.uuid4().hex}" for way in ways}
        self.by_way["environment"] = os.environ[PLANTED]
        self._key = [base64.b64encode(uuid.uuid4().bytes * 3).decode() for _ in range(3)]
        self.by_way |= {f"line {number} of a key": line for number, line in enumerate(self._key, 1)}
        self._folder = folder
        (folder / "secret.txt").write_text(self.by_way["file"])
        (folder / "option.txt").write_text(self.by_way["option's file"])

    @property
    def literal(self) -> str:
        """The one that stands in the metadata as it is."""
        return self.by_way["written out"]

    @property
    def group_id_prefix(self) -> str:
        """The option that brings the control into the names of Kafka's clients, under which they log."""
        return f"spark-dynamic-kafka-{self.control}"

    def add(self, way: str, secret: str) -> None:
        self.by_way[way] = secret

    def properties(self) -> dict[str, str]:
        """Properties of Kafka that take no part in a connection without encryption or login, and one it knows not."""
        return {
            "ssl.key.password": self.literal,
            "sasl.jaas.config": f'{_LOGIN} username="u" password="{self.by_way["login"]}";',
            "some.plugin.token": self.by_way["unknown property"],
            # Declared as text, not as a password: Kafka's clients print such values when they are opened.
            "sasl.oauthbearer.token.endpoint.url": f"https://{self.by_way['text']}",
            "sasl.kerberos.service.name": f"${{file:{self._folder}/secret.txt}}",
            "ssl.keystore.password": f"${{env:{PLANTED}}}",
            "ssl.truststore.password": f"${{file:{self._folder}/secret.txt}}",
            "ssl.keystore.key": "\n".join(["-----BEGIN PRIVATE KEY-----", *self._key, "-----END PRIVATE KEY-----"]),
        }

    def options(self) -> dict[str, str]:
        """The same for every cluster, as options of the query."""
        return {
            "kafka.ssl.truststore.certificates": f"${{file:{self._folder}/option.txt}}",
            "kafka.ssl.keystore.certificate.chain": f"${{env:{PLANTED}}}",
        }

    def on(self, cluster: KafkaCluster, topic: str, more: Mapping[str, str] | None = None) -> ClusterMetadata:
        """The topic on a cluster, with all of these properties."""
        return ClusterMetadata([topic], {**cluster.properties(), **self.properties(), **(more or {})})

    def found(self, text: str) -> list[str]:
        """The way of each secret that is in a text, with the place around it."""
        places = {way: _at(text, secret) for way, secret in self.by_way.items()}
        return [f"{way}: …{text[max(0, at - 300) : at + 60]}" for way, at in places.items() if at >= 0]

    def shows(self, text: str) -> bool:
        """Whether the control is in a text."""
        return _at(text, self.control) >= 0


def _at(text: str, secret: str) -> int:
    return next((at for form in _forms(secret) if (at := text.find(form)) >= 0), -1)


def _forms(secret: str) -> Iterator[str]:
    """As it is, in an address, and in Base64, wherever in a longer text it began."""
    yield secret
    yield quote(secret, safe="")
    for before in range(3):
        known = slice((before * 8 + 5) // 6, (before + len(secret)) * 8 // 6)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * before + secret.encode()).decode()[known]
