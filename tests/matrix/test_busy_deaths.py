"""Busy clusters freeze and die, again and again, for a ``DURATION``, under queries that write into Delta tables."""

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.__main__ import seconds
from tests.chaos.journal import Happening, Journal
from tests.chaos.ledger import Ledger
from tests.chaos.places import Source
from tests.chaos.producers import Producers
from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.matrix.corners import Corner, environment, spark_folder
from tests.matrix.test_lakes import DELTA, DELTA_SETTINGS, submit_arguments
from tests.packages import jars_of
from tests.readme import ROOT, Program
from tests.scenarios.listing import FileListing, on

SECONDS = seconds(os.environ.get("DURATION") or "60s")
PER_SECOND = 40
# How long a cluster is away, and how long it is back before the next one falls; seconds.
AWAY, BACK = (15.0, 25.0), 15.0
PATIENCE = 400.0
SPARK = "4.2.1"
# As many tasks at once as there are slots; a task that stands still is tried by another executor as well.
SPECULATIVE = {"spark.speculation": "true", "spark.speculation.interval": "500ms", "spark.task.maxFailures": "4"}

Rows = list[dict[str, Any]]


@contextmanager
def sessions(where: str, folder: Path) -> Iterator[dict[str, str]]:
    if where == "local":
        yield {"spark.master": "local[4]"}
        return
    with SparkCluster(folder, workers=4, home=spark_folder(SPARK) / "pyspark") as cluster:
        yield {**cluster.session, **SPECULATIVE}


@pytest.mark.matrix
@pytest.mark.timeout(SECONDS + 900)
@pytest.mark.parametrize("where", ["local", "standalone"])
def test_each_record_is_once_in_each_table_though_busy_clusters_freeze_and_die(
    where: str, wheel: Path, own_clusters: KafkaClusters, tmp_path: Path
) -> None:
    clusters = own_clusters.start("a", "b", "c")
    journal, ledger = Journal(tmp_path / "journal.txt"), Ledger()
    listing = FileListing(tmp_path / "streams.yaml")
    sources = {cluster.name: Source(cluster.name, "ids", 0) for cluster in clusters}
    for cluster in clusters:
        cluster.create_topic("ids", partitions=2)
    listing.publish("orders", {cluster.name: on(cluster, "ids") for cluster in clusters})
    work = {"streams": str(listing.path), "stream": "orders", "folder": str(tmp_path), "expected": "expected.txt"}
    python, variables = environment(Corner(SPARK, "17", "3.11"), wheel)
    with (
        sessions(where, tmp_path / "spark") as session,
        Producers(journal, ledger, PER_SECOND, in_transactions=False) as producers,
    ):
        for cluster in clusters:
            producers.begin(cluster, sources[cluster.name])
        command = [str(python), str(ROOT / "tests" / "matrix" / "busy_program.py"), json.dumps(work)]
        arguments = submit_arguments(jars_of(*DELTA), {**DELTA_SETTINGS, **session})
        submit = {**variables, "PYSPARK_SUBMIT_ARGS": arguments}
        with Program(command, tmp_path, submit) as program:
            eventually("both queries write", lambda: written(tmp_path, program), until=all, within=PATIENCE)
            deaths(clusters, journal, program.check)
            for cluster in clusters:
                producers.rest(sources[cluster.name])
                producers.settle(cluster, sources[cluster.name])
            (tmp_path / "expected.txt").write_text(str(len(ledger.acks())))
            assert program.end(within=PATIENCE) == 0, program.printed()[-6000:]
    tables = {name: rows(tmp_path / f"{name}.jsonl") for name in ("single", "first", "second")}
    (tmp_path / "outcome.txt").write_text("\n".join(report(tables["first"], tmp_path, journal)) + "\n")
    print((tmp_path / "outcome.txt").read_text())
    due = ledger.acks().keys()
    for name, table in tables.items():
        came = Counter(row["id"] for row in table)
        wrong = {"lost": due - came.keys(), "twice": {id_ for id_, count in came.items() if count > 1}}
        assert wrong == {"lost": set(), "twice": set()}, name
    by_batch = [Counter((row["batch"], row["id"]) for row in tables[name]) for name in ("first", "second")]
    assert by_batch[0] == by_batch[1]


def written(folder: Path, program: Program) -> list[bool]:
    program.check()
    return [(folder / "batches.jsonl").exists(), (folder / "single" / "_delta_log").exists()]


def deaths(clusters: list[KafkaCluster], journal: Journal, check: Callable[[], None]) -> None:
    """One cluster at a time, frozen or killed at any moment of a batch."""
    chance, wait = random.Random(7), threading.Event().wait
    until = journal.now() + SECONDS
    while journal.now() < until:
        cluster, frozen = chance.choice(clusters), chance.random() < 0.5
        with journal.during(f"{cluster.name} {'frozen' if frozen else 'killed'}"):
            (cluster.pause if frozen else cluster.kill)()
            wait(chance.uniform(*AWAY))
            (cluster.resume if frozen else cluster.start)()
        wait(BACK)
        check()


def report(table: Rows, folder: Path, journal: Journal) -> list[str]:
    """How old the rows of the other clusters were when their batch was in both tables, for each death."""
    done = {row["batch"]: journal.at(row["at"]) for row in rows(folder / "batches.jsonl")}
    came = [(row["cluster"], journal.at(row["timestamp"] / 1000), done[row["batch"]]) for row in table]
    faults = journal.happenings()

    def within(at: float, cluster: str, fault: Happening) -> bool:
        return fault.begin - 5 <= at <= fault.end and not fault.text.startswith(f"{cluster} ")

    lines = [
        f"{fault}: healthy rows {ages([until - at for name, at, until in came if within(at, name, fault)])}"
        for fault in faults
    ]
    well = [
        until - at for _, at, until in came if not any(fault.overlaps(at - BACK, until) for fault in faults) and at > 30
    ]
    ended = Counter(row["query"] for row in rows(folder / "ends.jsonl"))
    return [*lines, f"all well: rows {ages(well)}", f"queries ended: {dict(ended)}", f"{len(table)} rows a table"]


def ages(found: list[float]) -> str:
    ordered = sorted(found)
    if not ordered:
        return "none"
    half, most = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"p50 {half:.1f} s, p99 {most:.1f} s, most {ordered[-1]:.1f} s"


def rows(file: Path) -> Rows:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
