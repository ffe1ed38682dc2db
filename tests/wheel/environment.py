"""A pytest plugin: the wheel that ships, an environment that has Spark and nothing else of ours, and the orders."""

import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tests.cluster import KafkaCluster, KafkaClusters
from tests.readme import IN_FIRST, IN_SECOND, ROOT

# What is on this interpreter's path, without what this checkout put there.
CLEAN = {"PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false pyspark-shell"}


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The one that `make wheel` left."""
    (built,) = (ROOT / "python" / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel in it. Returns its interpreter."""
    python = with_spark_alone(tmp_path_factory.mktemp("env"))
    install(python, wheel)
    return python


@pytest.fixture
def orders(clusters: KafkaClusters) -> Iterator[list[KafkaCluster]]:
    """Two clusters that both have a topic `orders`, as the pages say."""
    pair = [clusters.get("a"), clusters.get("b")]
    for cluster, count in zip(pair, (IN_FIRST, IN_SECOND), strict=True):
        cluster.create_topic("orders", partitions=2)
        cluster.produce("orders", [(f"k{n}", f"{cluster.name}-{n}") for n in range(count)])
    yield pair
    for cluster in pair:
        cluster.delete_topic("orders")


def with_spark_alone(folder: Path) -> Path:
    """The interpreter of a new virtual environment that has Spark and nothing of ours."""
    venv.create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "spark.pth").write_text(f"{spark_alone(folder)}\n")
    return folder / "bin" / "python"


def install(python: Path, wheel: Path, *arguments: str) -> None:
    """By the pip of this environment, which saves the other one a pip of its own."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, *arguments, str(wheel)], check=True, capture_output=True, text=True)


def spark_alone(folder: Path) -> Path:
    """A folder with PySpark and Py4J of this environment: installing them again would fetch 400 MB."""
    return linked(folder / "spark", "pyspark", "py4j")


def linked(folder: Path, *distributions: str) -> Path:
    """A new folder with these distributions of this environment, linked."""
    folder.mkdir()
    for found in map(metadata.distribution, distributions):
        tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
        for name in tops:
            (folder / name).symlink_to(str(found.locate_file(name)))
    return folder
