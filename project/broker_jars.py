"""Writes the list of jars that a Kafka broker of a version needs: ``python -m project.broker_jars 4.3.1``.

Maven resolves them, into its local repository. What only Kafka Connect and compilers need is left out.
"""

import hashlib
import sys
from pathlib import Path

from tests.cluster.process_broker import ARTIFACTS
from tests.packages import fetched

LIST = Path(__file__).resolve().parents[1] / "python" / "src" / "dynamic_kafka" / "_brokers" / "jars.txt"
LEFT_OUT = (
    *("activation", "aopalliance", "classgraph", "commons-beanutils", "commons-collections", "commons-digester"),
    *("commons-logging", "connect-", "hk2-", "jackson-jakarta", "jackson-module", "jakarta.", "javassist", "javax."),
    *("jaxb-", "jersey-", "jetty-", "jspecify", "maven-", "osgi-", "plexus-", "scala-reflect", "swagger-"),
)
HEAD = "# The jars of a Kafka broker: SHA-256, bytes, path in a Maven repository. Written by project/broker_jars.py."


def main() -> None:
    (version,) = sys.argv[1:]
    found = fetched("+".join(ARTIFACTS).format(version=version))
    lines = [line(jar) for jar in found if not jar.name.startswith(LEFT_OUT)]
    LIST.write_text("\n".join([HEAD, *sorted(lines, key=lambda one: one.split()[2])]) + "\n")


def line(jar: Path) -> str:
    repository = Path.home() / ".m2" / "repository"
    (kept,) = repository.rglob(jar.name)
    content = jar.read_bytes()
    return f"{hashlib.sha256(content).hexdigest()} {len(content)} {kept.relative_to(repository)}"


if __name__ == "__main__":
    main()
