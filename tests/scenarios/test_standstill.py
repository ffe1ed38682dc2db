"""A busy cluster stands still in the middle of a batch, on a Spark cluster with four attempts of a task, and copies."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chaos.spark_cluster import SparkCluster
from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.spark_programs import run_program

# How long a range may stand still by default, over all attempts, seconds; and what else the batch takes.
_STANDSTILL, _BATCH = 10.0, 10.0
# More than a task fetches at once.
_LONG, _COUNT = "x" * 10_000, 800


@pytest.mark.matrix
def test_a_cluster_that_freezes_in_a_batch_costs_its_limit_once_whatever_attempts_and_copies_there_are(
    a: KafkaCluster, b: KafkaCluster, file: FileListing, fresh_name: Name, tmp_path: Path
) -> None:
    topic, folder = fresh_name("topic"), tmp_path / "program"
    a.create_topic(topic, partitions=3)
    b.create_topic(topic)
    ids = [*numbered("a", 30), *numbered("b", _COUNT)]
    write(a, topic, *ids[:30])
    write(b, topic, *(f"{id_} {_LONG}" for id_ in ids[30:]))
    file.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    with SparkCluster(tmp_path / "spark", workers=3, apart=True) as spark, ThreadPoolExecutor(1) as pool:
        running = pool.submit(run_program, "standstill_program", file.path, "orders", folder, spark.master, len(ids))

        def made(name: str) -> None:
            eventually(f"it is {name}", lambda: running.done() or (folder / name).exists(), within=120)

        made("reading")
        b.pause()
        (folder / "frozen").touch()
        made("over")
        b.resume()
        batches = running.result()
    (seconds, first), *later = batches
    assert seconds < _STANDSTILL + _BATCH, seconds
    assert {id_ for id_ in first if id_.startswith("a")} == set(ids[:30])
    # A copy that has taken nothing may be the one that ends the range.
    assert len(first) < len(ids), "nothing was deferred"
    assert Counter(id_ for _, found in batches for id_ in found) == Counter(ids)
    assert later
    assert re.search(r"Starting task \d+\.1 in stage 0\.0", (folder / "spark.log").read_text()), "no task had a copy"
