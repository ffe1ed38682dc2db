"""A broker's log folder, formatted once for each version of Kafka and copied from then on."""

import shutil
from pathlib import Path

from tests.cluster.kafka_ids import new_kafka_id


def copy_formatted(formatted: Path, into: Path, kafka_id: str, number: int) -> None:
    """Of what Kafka's own tool writes, which takes a JVM, only the ids differ: of the cluster, of the broker in it, and
    of the folder, which no two brokers may share."""
    shutil.copytree(formatted, into)
    own = {"cluster.id": kafka_id, "node.id": str(number), "directory.id": new_kafka_id()}
    described = into / "meta.properties"
    lines = [line.partition("=") for line in described.read_text().splitlines() if not line.startswith("#")]
    described.write_text("".join(f"{key}={own.get(key, value)}\n" for key, _, value in lines))
