"""Keys and certificates of a test, made by the JDK's keytool: nothing of them is worth anything elsewhere."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.java_helpers import KEYTOOL, helpers_jar
from tests.cluster.tokens import TokenKey, make_token_key

_BROKER, _USER = "broker", "user"


@dataclass(frozen=True)
class Certificates:
    """A broker's certificate for 127.0.0.1 and one of a user; each signs itself.

    ``folder`` holds `broker.pem`, `broker-trust.jks` and `broker-trust.p12`, which trust the broker, and `user.p12`,
    `user.key` and `user.pem`, which are the user. ``password`` is that of all stores; ``token_key`` signs tokens that
    the broker takes.
    """

    folder: Path
    password: str
    token_key: TokenKey

    def text(self, file: str) -> str:
        """A PEM file in one line, as Kafka takes it too."""
        return " ".join((self.folder / file).read_text().split("\n")).strip()


def make_certificates(folder: Path, user: str, password: str) -> Certificates:
    """Makes all of it in ``folder``; the certificate of the user holds the name ``user``."""
    folder.mkdir(parents=True, exist_ok=True)
    make = ["java", "-XX:TieredStopAtLevel=1", KEYTOOL, "-cp", str(helpers_jar()), "MakeKeys", str(folder), password]
    subprocess.run([*make, f"{_BROKER}=localhost", f"{_USER}={user}"], check=True, capture_output=True)
    return Certificates(folder, password, make_token_key(folder))
