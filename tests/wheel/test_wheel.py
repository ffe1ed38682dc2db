"""The built wheel, in an environment that has Spark and nothing else of ours."""

import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.readme import ROOT, Program, examples, streams_files

PATIENCE = 90
COUNT = 40
# What is on this interpreter's path, without what this checkout put there.
CLEAN = {"PYTHONPATH": "", "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false pyspark-shell"}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built anew from the checkout, with the jar that `make jar` left there."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT / "python")]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel in it. Returns its interpreter."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install(python, wheel)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "spark.pth").write_text(f"{spark_alone(folder)}\n")
    return python


def install(python: Path, wheel: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", *arguments, str(wheel)]
    subprocess.run(command, check=True, capture_output=True, text=True)


def spark_alone(folder: Path) -> Path:
    """A folder with PySpark and Py4J of this environment, linked: installing them again would fetch 400 MB."""
    links = folder / "spark"
    links.mkdir()
    for distribution in ("pyspark", "py4j"):
        for name in (distribution, f"{distribution}-{metadata.version(distribution)}.dist-info"):
            target = Path(str(metadata.distribution(distribution).locate_file(name)))
            if target.exists():
                (links / name).symlink_to(target)
    return links


@pytest.fixture
def orders(clusters: KafkaClusters) -> Iterator[KafkaCluster]:
    cluster = clusters.get("a")
    cluster.create_topic("orders")
    cluster.produce("orders", [(None, f"order {n}") for n in range(COUNT)])
    yield cluster
    cluster.delete_topic("orders")


def test_the_wheel_needs_nothing_and_brings_one_jar(environment: Path, tmp_path: Path) -> None:
    script = (
        "import dynamic_kafka, importlib.metadata as m;"
        "print(dynamic_kafka.__file__, dynamic_kafka.jar_path(), m.requires('dynamic-kafka-spark'), sep='\\n')"
    )
    with Program([str(environment), "-c", script], tmp_path, CLEAN) as program:
        assert program.end(within=PATIENCE) == 0, program.printed()
        module, jar, requires = program.printed().splitlines()
    home = str(environment.parents[1])
    assert module.startswith(home)
    assert jar.startswith(home)
    assert "extra" in requires


def test_the_readme_runs_from_the_wheel(environment: Path, orders: KafkaCluster, tmp_path: Path) -> None:
    (tmp_path / "streams.yaml").write_text(streams_files([orders])[0])
    (script,) = examples("python")
    (tmp_path / "example.py").write_text(script)
    with Program([str(environment), "example.py"], tmp_path, CLEAN) as program:
        eventually("all is read", program.read_from, until=lambda seen: seen == {"eu-1": COUNT}, within=PATIENCE)


def test_a_jar_of_another_release_is_told_with_the_line_to_change(
    environment: Path, wheel: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    install(environment, wheel, "--target", str(other))
    (described,) = other.glob("*.dist-info/METADATA")
    here = metadata.version("dynamic-kafka-spark")
    described.write_text(described.read_text().replace(f"\nVersion: {here}\n", "\nVersion: 9.9.9\n"))
    (script,) = examples("python")
    (tmp_path / "example.py").write_text(script)
    with Program([str(environment), "example.py"], tmp_path, {**CLEAN, "PYTHONPATH": str(other)}) as program:
        assert program.end(within=PATIENCE) != 0
        printed = program.printed()
    assert "VersionMismatchError" in printed
    assert f"The jar in Spark is of version {here}, the Python package of version 9.9.9" in printed
    assert f"pip install dynamic-kafka-spark=={here}" in printed
