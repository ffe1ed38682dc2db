"""Keys and certificates of a test, made by the JDK's keytool: nothing of them is worth anything elsewhere."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.tokens import TokenKey, make_token_key

_EXPORT = Path(__file__).with_name("ExportKeys.java")
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
    """Makes all of it in ``folder``; the certificate of the user tells the name ``user``."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda it: _make(folder, *it, password=password), [(_BROKER, "localhost"), (_USER, user)]))
    export = ["java", "-XX:TieredStopAtLevel=1", str(_EXPORT), str(folder), password, _BROKER, _USER]
    subprocess.run(export, check=True)
    return Certificates(folder, password, make_token_key(folder))


def _make(folder: Path, alias: str, name: str, *, password: str) -> None:
    command = ["keytool", "-genkeypair", "-alias", alias, "-dname", f"CN={name}", "-keyalg", "EC", "-validity", "30"]
    command += ["-ext", "san=ip:127.0.0.1,dns:localhost"]
    command += ["-storetype", "PKCS12", "-keystore", str(folder / f"{alias}.p12"), "-storepass", password]
    subprocess.run(command, check=True, capture_output=True)
