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


def test_its_options_have_the_defaults_of_their_page() -> None:
    short = dict(re.findall(r"^\| `([\w.<>]+)` \| (.+?) \|", README.read_text(), re.MULTILINE))
    sections = (ROOT / "docs" / "options.md").read_text().split("\n### ")[1:]
    page = {one.split("`")[1]: one.partition("\nDefault: ")[2].partition(". Allowed: ")[0] for one in sections}
    assert len(short) == 9
    # Where a batch read has another default, the page names it after the first.
    wanted = {name: "required" if "required" in page[name] else page[name].split(";")[0] for name in short}
    assert {name: default.strip("`") for name, default in short.items()} == {
        name: default.strip("`") for name, default in wanted.items()
    }


def test_its_versions_are_those_that_the_tests_run_on() -> None:
    rows = dict(
        re.findall(r"^\| (Spark|Kafka brokers|Java|Python) \| .+? \| (.+? \| .+?) \|$", README.read_text(), re.M)
    )
    run = {name: [cell.split(", ") for cell in cells.split(" | ")] for name, cells in rows.items()}
    java, python = NEEDED
    assert run == {
        "Spark": [[pyspark.__version__], [one for one in SPARKS if one != pyspark.__version__]],
        "Kafka brokers": [[NEWEST], [*OLDEST, OLDER]],
        "Java": [[java], [one for one in JAVAS if one != java]],
        "Python": [[python], [one for one in PYTHONS if one != python]],
    }


def test_the_page_of_supported_versions_names_the_same_ones() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text().partition("## Supported versions")[2]
    for name in ("Spark", "Kafka brokers", "Java", "Python"):
        row, there = (
            re.findall(rf"^\| {name} \| (.+) \|$", text, re.MULTILINE)[0].split(" | ")
            for text in (README.read_text(), page)
        )
        run = {version for cell in row[1:] for version in cell.split(", ")}
        # `make matrix` has a Java that Spark 4.1 does not start on, so the page says with which Sparks.
        assert set(re.findall(r"\d[\d.]*\d", there[-1].partition(" with Spark ")[0])) == run, name


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
