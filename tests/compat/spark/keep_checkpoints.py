"""Keeps checkpoints of versions of Spark: ``python -m tests.compat.spark.keep_checkpoints VERSION=PYTHON=JARS...``

``PYTHON`` is an interpreter that has PySpark of this version, and ``JARS`` are those of Spark's Kafka source for it,
separated by commas. What is kept already stays as it is.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster import KafkaCluster, KafkaClusters, Record
from tests.compat.kept import packed

FOLDER = Path(__file__).parent


def main() -> None:
    with KafkaClusters() as clusters:
        clusters.start("a", "b", "c")
        for number, cluster in enumerate(clusters):
            _fill(cluster, number)
        addresses = [cluster.bootstrap_servers for cluster in clusters]
        for argument in sys.argv[1:]:
            version, python, jars = argument.split("=")
            with tempfile.TemporaryDirectory() as folder:
                _write(python, jars, Path(folder), addresses)
                kept = FOLDER / f"{version}.json"
                before = json.loads(kept.read_text()) if kept.exists() else {}
                found = {written.name: packed(written) for written in Path(folder).iterdir()}
                kept.write_text(json.dumps(dict(sorted((found | before).items())), indent=1) + "\n")


def _fill(cluster: KafkaCluster, number: int) -> None:
    """The clusters differ in how much they hold; none of them has a topic of the pattern `none-.*`."""
    cluster.create_topic("orders", partitions=2)
    cluster.create_topic("refunds")
    for partition in range(2):
        cluster.produce(
            "orders", [Record(None, f"{one}", partition=partition) for one in range(4 + number + partition)]
        )
    cluster.produce("refunds", [Record(None, "refund")] * 3)


def _write(python: str, jars: str, folder: Path, addresses: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_HOME", "PYTHON"))}
    environment |= {"PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell", "PYSPARK_PYTHON": python}
    program = [python, str(FOLDER / "write_checkpoints.py"), str(folder), *addresses]
    subprocess.run(program, env=environment, check=False)


if __name__ == "__main__":
    main()
