"""The project of `examples/declarative-pipelines`, checked by a dry run and run."""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cluster import KafkaClusters
from tests.matrix.corners import SPARKS, python_with, spark_folder
from tests.readme import ROOT, printed_by
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write

EXAMPLE = ROOT / "examples" / "declarative-pipelines"
PATIENCE = 180
# Spark 4.0 has no declarative pipelines.
WITH_PIPELINES = [spark for spark in SPARKS if not spark.startswith("4.0.")]


class Project:
    """A copy of the example, without its file of streams and with checkpoints of its own."""

    def __init__(self, folder: Path, spark: str, wheel: Path) -> None:
        self.folder = folder
        self._python, self._home = python_with("pipelines", spark, wheel), spark_folder(spark) / "pyspark"
        shutil.copytree(EXAMPLE, folder)
        (folder / "streams.yaml").unlink()
        self.replace("spark-pipeline.yml", "file:///tmp/orders-pipeline", f"file://{folder / 'storage'}")

    def replace(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text()
        assert old in text
        (self.folder / file).write_text(text.replace(old, new))

    def ends(self, how: str, code: int = 0) -> str:
        """What the README's command prints, to `run` or otherwise; it ends with this code."""
        (line,) = [
            one for one in (EXAMPLE / "README.md").read_text().splitlines() if one.startswith("spark-pipelines ")
        ]
        path = os.pathsep.join([str(self._home / "bin"), str(self._python.parent), os.environ["PATH"]])
        clean = {"PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
        variables = {**clean, "SPARK_HOME": str(self._home), "PYSPARK_PYTHON": str(self._python), "PATH": path}
        command = ["bash", "-c", line.replace("spark-pipelines run", f"spark-pipelines {how}")]
        return printed_by(command, self.folder, variables, within=PATIENCE, code=code)


@pytest.fixture
def topic(clusters: KafkaClusters, fresh_name: Callable[[str], str]) -> str:
    name = fresh_name("orders")
    for cluster in (clusters.get("a"), clusters.get("b")):
        cluster.create_topic(name, partitions=2)
    return name


def rows(session: SparkSession, folder: Path) -> list[tuple[str, str]]:
    """The rows of the table: cluster and value."""
    frame = session.read.parquet(str(folder / "spark-warehouse" / "orders"))
    return sorted((row.cluster, row.value) for row in frame.collect())


def counted(session: SparkSession, folder: Path) -> dict[str, int]:
    """The rows of the view: how many there are of each cluster."""
    frame = session.read.parquet(str(folder / "spark-warehouse" / "orders_by_cluster"))
    return {row.cluster: row.orders for row in frame.collect()}


@pytest.mark.matrix
@pytest.mark.parametrize("version", WITH_PIPELINES)
def test_the_project_is_checked_without_its_streams_and_reads_each_record_of_each_cluster_once(
    version: str, wheel: Path, clusters: KafkaClusters, topic: str, spark: SparkSession, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project", version, wheel)
    printed = project.ends("dry-run")
    assert "Run is COMPLETED" in printed
    assert "ATTEMPT_ANALYSIS" not in printed

    a, b = clusters.get("a"), clusters.get("b")
    file = FileListing(project.folder / "streams.yaml")
    file.publish("orders", {"eu-1": on(a, topic)})
    written = [("eu-1", value) for value in write(a, topic, *numbered("a", 10))]
    project.ends("run")
    assert rows(spark, project.folder) == sorted(written)

    written += [("eu-1", value) for value in write(a, topic, *numbered("later", 5))]
    written += [("eu-2", value) for value in write(b, topic, *numbered("b", 7))]
    file.publish("orders", {"eu-1": on(a, topic), "eu-2": on(b, topic)})
    project.ends("run")
    assert rows(spark, project.folder) == sorted(written)
    assert counted(spark, project.folder) == Counter(cluster for cluster, _ in written)


@pytest.mark.matrix
@pytest.mark.parametrize("version", WITH_PIPELINES)
def test_a_dry_run_names_an_option_that_is_wrong(version: str, wheel: Path, tmp_path: Path) -> None:
    project = Project(tmp_path / "project", version, wheel)
    project.replace("transformations/orders.py", ".load()", '.option("maxOffsetPerTrigger", 5).load()')
    assert "DYNAMIC_KAFKA_INVALID_OPTION" in project.ends("dry-run", code=1)
