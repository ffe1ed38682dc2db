"""README.md: its query runs as it stands there and prints what it shows; what it names is there."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.cluster.versions import NEWEST, OLDER, OLDEST
from tests.matrix.corners import JAVAS, NEEDED, PYTHONS, SPARKS
from tests.readme import ROOT, Program, Steps, examples, replace, streams_files
from tests.scenarios.queries import Queries
from tests.wheel.environment import CLEAN

README = ROOT / "README.md"
# More than fits into the minute that a stranger gives it.
TOO_LONG = 150
PATIENCE = 90


@pytest.fixture
def orders(clusters: KafkaClusters) -> Iterator[list[KafkaCluster]]:
    """The orders that README.md shows."""
    pair = [clusters.get("a"), clusters.get("b")]
    for cluster, order in zip(pair, ("a book", "a pen"), strict=True):
        cluster.create_topic("orders")
        cluster.produce("orders", [(None, order)])
    yield pair
    for cluster in pair:
        cluster.delete_topic("orders")


def tables(printed: str) -> list[str]:
    """The lines that Spark's console sink prints."""
    return [line.rstrip() for line in printed.splitlines() if line.startswith(("---", "Batch: ", "+--", "|"))]


def test_the_query_prints_what_the_readme_shows_while_the_file_changes(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    steps = Steps(README, orders)
    steps.take("sh")  # the commands of a checkout, and what it installs: see below
    steps.take("sh")
    replace(tmp_path / "streams.yaml", steps.take("yaml"))
    script, both, shown = (steps.take(one) for one in ("python", "yaml", "text"))
    (tmp_path / "example.py").write_text(script)
    with Program([str(environment), "example.py"], tmp_path, CLEAN) as program:
        eventually("eu-1 is read", program.printed, until=lambda seen: "a book" in seen, within=PATIENCE)
        replace(tmp_path / "streams.yaml", both)
        wanted = tables(shown)
        eventually("all is printed", lambda: tables(program.printed()), until=wanted.__eq__, within=PATIENCE)
    assert steps.left() == ["python"], "without the builder: see below"


def test_without_the_builder_the_query_reads_the_same_while_the_file_changes(
    orders: list[KafkaCluster], spark: SparkSession, queries: Queries, tmp_path: Path
) -> None:
    first, both = streams_files(orders)
    streams = tmp_path / "streams.yaml"
    replace(streams, first)
    (script,) = (block for block in examples("python") if block.startswith("orders = (\n    spark.readStream"))
    assert '"streams.yaml"' in script
    named: dict[str, Any] = {"spark": spark}
    exec(script.replace("streams.yaml", str(streams)).replace('"10s"', '"1s"'), named)  # noqa: S102 - the page's own
    running = queries.start(named["orders"])
    running.await_values(["a book"])
    replace(streams, both)
    running.await_values(["a book", "a pen"])


def test_it_is_short_and_each_make_target_that_it_or_contributing_names_is_there() -> None:
    text = README.read_text()
    assert len(text.splitlines()) < TOO_LONG
    targets = re.findall(r"(?:`|^)make ([a-z0-9-]+)", text + (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert {"demo", "test", "matrix", "scala"} <= set(targets)
    lines = re.findall(r"^([a-z0-9 -]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(targets) - {target for line in lines for target in line.split()} == set()


def test_the_supported_versions_are_those_that_the_tests_run_on() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text().partition("## Supported versions")[2]
    rows = dict(re.findall(r"^\| (Spark|Kafka brokers|Java|Python) \|.+\| (.+) \|$", page, re.MULTILINE))
    # `make matrix` has a Java that Spark 4.1 does not start on, so the page says with which Sparks.
    run = {name: set(re.findall(r"\d[\d.]*\d", cell.partition(" with Spark ")[0])) for name, cell in rows.items()}
    java, python = NEEDED
    assert run == {
        "Spark": {pyspark.__version__, *SPARKS},
        "Kafka brokers": {NEWEST, OLDER, *OLDEST},
        "Java": {java, *JAVAS},
        "Python": {python, *PYTHONS},
    }
    every_day = {name: re.findall(r"`make test`: ([\d.]+)", cell) for name, cell in rows.items()}
    assert every_day == {"Spark": [pyspark.__version__], "Kafka brokers": [NEWEST], "Java": [java], "Python": [python]}


def test_the_readme_names_the_supported_versions_of_their_page() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text().partition("## Supported versions")[2]
    (line,) = re.findall(r"^Spark \d.+(?:\n.+)*", README.read_text(), re.MULTILINE)
    supported = dict(re.findall(r"^\| (Spark|Kafka brokers|Java|Python) \| (.+?) \|", page, re.MULTILINE))
    assert len(supported) == 4
    for name, versions in supported.items():
        (there,) = re.findall(rf"\b{name} ((?:[\d.]+(?:, | and )?)+)", line)
        assert re.findall(r"\d[\d.]*", there) == re.findall(r"\d[\d.]*", versions.partition(" with ")[0]), name


def test_what_each_page_installs_exists() -> None:
    pages = [README, *(ROOT / "docs").glob("*.md")]
    installed = Counter(
        (name, extra)
        for page in pages
        for name, extras in re.findall(r"pip install '?([\w-]+)(?:\[([\w,]+)\])?", page.read_text())
        for extra in (extras or "").split(",")
    )
    ours = metadata.metadata("dynamic-kafka-spark")
    extras = {"", *(ours.get_all("Provides-Extra") or [])}
    assert {("dynamic-kafka-spark", "pyspark"), ("dynamic-kafka-spark", "cli")} <= installed.keys()
    assert [one for one in installed if one[0].startswith("dynamic-kafka") and one[1] not in extras] == []
