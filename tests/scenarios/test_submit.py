"""`spark-submit` in each of its forms: the source gets there, and what else was submitted stays."""

import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.spark_cluster import SparkCluster
from tests.readme import ROOT, printed_by
from tests.scenarios.spark_programs import CLEAN, HOME, SmallStream
from tests.wheel.environment import with_spark_alone

pytestmark = pytest.mark.matrix

APPLICATION = ROOT / "tests" / "scenarios" / "submitted_program.py"
# Where `make matrix` publishes to, as `make publish-local` does elsewhere.
REPOSITORY = ROOT / "build" / "matrix" / "m2"
OURS = "dynamic-kafka-spark_2.13-"
PATIENCE = 90
_SHOUT = """
public class Shout implements org.apache.spark.sql.api.java.UDF1<String, String> {
  public String call(String text) { return text + "!"; }
}
"""


@pytest.fixture(scope="module")
def shout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar of the user's, `x.jar`."""
    folder = tmp_path_factory.mktemp("x")
    (folder / "Shout.java").write_text(_SHOUT)
    javac = ["javac", "-cp", f"{HOME}/jars/*", "-d", str(folder), str(folder / "Shout.java")]
    subprocess.run(javac, check=True)
    with zipfile.ZipFile(folder / "x.jar", "w") as jar:
        jar.write(folder / "Shout.class", "Shout.class")
    return folder / "x.jar"


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a Spark cluster: what executors are not given is missed there."""
    with SparkCluster(tmp_path_factory.mktemp("spark"), workers=1) as spark:
        yield spark.master


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has no package of ours."""
    return with_spark_alone(tmp_path_factory.mktemp("bare"))


def submit(python: Path, small: SmallStream, folder: Path, *arguments: object) -> list[str]:
    """Submits the application, whose rows must be right, and returns the names of the jars that executors got."""
    settings = ["--conf", "spark.ui.enabled=false", "--executor-memory", "600m", *map(str, arguments)]
    command = [str(HOME / "bin" / "spark-submit"), *settings, str(APPLICATION), str(small.streams), small.stream_id]
    printed = printed_by(command, folder, {**CLEAN, "PYSPARK_PYTHON": str(python)}, within=PATIENCE)
    found = json.loads(next(line for line in printed.splitlines() if line.startswith('{"values"')))
    assert found["values"] == [f"{value}!" for value in small.values]
    return list(found["jars"])


@pytest.mark.parametrize("way", ["--jars", "--conf", "--properties-file"])
def test_jars_of_each_kind_reach_the_executors_of_a_cluster_beside_the_bundled_one(
    way: str, environment: Path, master: str, small: SmallStream, shout: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.conf").write_text(f"spark.jars {shout}\nspark.master {master}\n")
    arguments = {
        "--jars": ("--master", master, "--jars", shout),
        "--conf": ("--master", master, "--conf", f"spark.jars={shout}"),
        "--properties-file": ("--properties-file", tmp_path / "mine.conf"),
    }
    ours, users = submit(environment, small, tmp_path, *arguments[way])
    assert (ours[: len(OURS)], users) == (OURS, "x.jar")


def test_the_wheel_among_the_py_files_is_all_that_an_interpreter_needs(
    bare: Path, wheel: Path, master: str, small: SmallStream, shout: Path, tmp_path: Path
) -> None:
    ours, users = submit(bare, small, tmp_path, "--master", master, "--jars", shout, "--py-files", wheel)
    assert (ours[: len(OURS)], users) == (OURS, "x.jar")


def test_the_artifact_as_a_package_takes_the_place_of_the_bundled_jar(
    environment: Path, master: str, small: SmallStream, shout: Path, tmp_path: Path
) -> None:
    (artifact,) = (at for at in REPOSITORY.glob("**/dynamic-kafka-spark_2.13/*") if at.is_dir())
    repository = (f"--repositories=file://{REPOSITORY}", f"--conf=spark.jars.ivy={tmp_path}/ivy")
    package = f"--packages=io.github.dynamickafka:dynamic-kafka-spark_2.13:{artifact.name}"
    jars = submit(environment, small, tmp_path, "--master", master, "--jars", shout, package, *repository)
    assert jars == [f"io.github.dynamickafka_{OURS}{artifact.name}.jar", "x.jar"]


def test_the_jar_itself_may_be_submitted(
    environment: Path, master: str, small: SmallStream, shout: Path, tmp_path: Path
) -> None:
    import dynamic_kafka

    both = f"{shout},{dynamic_kafka.jar_path()}"
    assert submit(environment, small, tmp_path, "--master", master, "--jars", both) == [
        dynamic_kafka.jar_path().name,
        "x.jar",
    ]
