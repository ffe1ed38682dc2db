"""What `make release` built, installed where nothing of it is yet. Nothing here imports this checkout's package."""

import os
import re
from pathlib import Path

import pyspark
import pytest

from tests.cluster import KafkaCluster, eventually
from tests.readme import IN_FIRST, IN_SECOND, START, Program, examples, printed_by, streams_files
from tests.wheel.environment import CLEAN

SPARK_SQL = Path(pyspark.__file__).parent / "bin" / "spark-sql"
GROUP = "io.github.dynamickafka"
# What Ivy brings beside the artifact; Scala's library is left out, because Spark has it.
BESIDE = {
    "dynamic-kafka-spark_2.13": set(),
    "dynamic-kafka-spark-thin_2.13": {"kafka-clients", "jose4j", "snakeyaml-engine"},
}
PATIENCE = 120


@pytest.mark.release
def test_the_first_pages_query_follows_its_file_with_nothing_but_the_wheel(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    first, second = streams_files(orders, START)[:2]
    (tmp_path / "streams.yaml").write_text(first)
    (tmp_path / "example.py").write_text(examples("python", START)[0])
    with Program([str(environment), "example.py"], tmp_path, CLEAN) as program:
        eventually("eu-1 is read", program.read_from, until=lambda seen: seen == {"eu-1": IN_FIRST}, within=PATIENCE)
        (tmp_path / "new.yaml").write_text(second)
        (tmp_path / "new.yaml").replace(tmp_path / "streams.yaml")
        both = {"eu-1": IN_FIRST, "eu-2": IN_SECOND}
        eventually("eu-2 is read, too", program.read_from, until=lambda seen: seen == both, within=PATIENCE)


@pytest.mark.release
@pytest.mark.parametrize("artifact", BESIDE)
def test_packages_fetches_the_artifact_into_an_empty_home_and_the_first_pages_table_is_counted(
    artifact: str, repository: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    (tmp_path / "streams.yaml").write_text(streams_files(orders, START)[1])
    (tmp_path / "example.sql").write_text(examples("sql", START)[0])
    # Ivy looks into the home's Maven repository first.
    home = {"JDK_JAVA_OPTIONS": f"{os.environ['JDK_JAVA_OPTIONS']} -Duser.home={tmp_path / 'home'}"}
    package = f"{GROUP}:{artifact}:{os.environ['RELEASE_VERSION']}"
    settings = [f"spark.jars.ivy={tmp_path / 'ivy'}", "spark.sql.catalogImplementation=in-memory"]
    command = [str(SPARK_SQL), "--master", "local[2]", "--packages", package, "--repositories", repository.as_uri()]
    command += [word for one in [*settings, "spark.ui.enabled=false"] for word in ("--conf", one)]
    printed = printed_by([*command, "-f", "example.sql"], tmp_path, home, within=PATIENCE)
    assert {f"eu-1\t{IN_FIRST}", f"eu-2\t{IN_SECOND}"} <= set(printed.splitlines())
    fetched = {re.sub(r"^.+_|-[\d.]+\.jar$", "", jar.name.replace("_2.13", "")) for jar in tmp_path.glob("ivy/jars/*")}
    assert fetched == {artifact.removesuffix("_2.13"), *BESIDE[artifact]}
