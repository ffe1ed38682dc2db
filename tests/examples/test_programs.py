"""Each program of `examples` is copied, and run by the command of its README, on two real clusters."""

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from importlib import metadata
from pathlib import Path

import jgo
import pytest
from project.release import versions

from tests.cluster import KafkaCluster, eventually
from tests.readme import IN_FIRST, IN_SECOND, ROOT, Program, copied, examples, printed_by, rows_of
from tests.wheel.environment import CLEAN

# Where `make matrix` publishes to, as `make publish-local` does elsewhere.
REPOSITORY = ROOT / "build" / "matrix" / "m2"
PATIENCE = 90
# A new project has its build compiled, and Scala's compiler starts cold.
BUILDING = 400
_SBT = """#!/bin/bash
exec java -Xmx1g -Dsbt.supershell=false -Dsbt.color=false -Dsbt.server.autostart=false -jar {launcher} "$@"
"""


@pytest.fixture
def sbt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `sbt` in it: the launcher of this project's own."""
    (version,) = re.findall(r"(?m)^sbt\.version=(.+)$", (ROOT / "project" / "build.properties").read_text())
    (launcher,) = jgo.build(f"org.scala-sbt:sbt-launch:{version}").all_jars
    script = tmp_path_factory.mktemp("bin") / "sbt"
    script.write_text(_SBT.format(launcher=launcher))
    script.chmod(0o755)
    return script.parent


def with_path(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.matrix
def test_the_python_service_and_its_query_run_from_the_wheel_and_follow_the_registry(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    command = copied("python-service", orders, tmp_path)
    with Program(["bash", "-c", command], tmp_path, {**CLEAN, **with_path(environment.parent)}) as program:
        first = {"eu-1": IN_FIRST}
        eventually("eu-1 is read", program.read_from, until=lambda seen: seen == first, within=PATIENCE)
        (statements,) = examples("sql", tmp_path / "README.md")
        with closing(sqlite3.connect(tmp_path / "registry.db")) as connection:
            connection.executescript(f"BEGIN; {statements} COMMIT;")
        both = {"eu-1": IN_FIRST, "eu-2": IN_SECOND}
        eventually("eu-2 is read, too", program.read_from, until=lambda seen: seen == both, within=PATIENCE)


@pytest.mark.matrix
@pytest.mark.parametrize("project", ["scala-query", "java-service"])
def test_a_project_builds_with_the_published_artifact_and_its_query_reads_all(
    project: str, sbt: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    command = copied(project, orders, tmp_path)
    published = {"JDK_JAVA_OPTIONS": f"{os.environ['JDK_JAVA_OPTIONS']} -Dmaven.repo.local={REPOSITORY}"}
    printed_by(["bash", "-c", command], tmp_path, {**published, **with_path(sbt)}, within=BUILDING)
    rows = rows_of(tmp_path / "orders")
    assert Counter(row["cluster"] for row in rows) == {"eu-1": IN_FIRST, "eu-2": IN_SECOND}
    assert len({(row["cluster"], row["partition"], row["offset"]) for row in rows}) == len(rows)


def test_each_example_and_page_names_this_version() -> None:
    named = {
        page.relative_to(ROOT).as_posix(): {version for _, version in versions.NAMED.findall(page.read_text())}
        for page in versions.pages(ROOT)
    }
    release = {metadata.version("dynamic-kafka-spark")}
    assert {page: found for page, found in named.items() if found and found != release} == {}
    assert {page for page, found in named.items() if found} >= {
        "README.md",
        "examples/scala-query/build.sbt",
        "examples/java-service/build.sbt",
        "examples/java-service/README.md",
    }
