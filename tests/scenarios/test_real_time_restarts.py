"""Queries in Real-Time Mode that are stopped or killed, begin anew, and change their trigger."""

import json
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.matrix.corners import spark_folder
from tests.readme import ROOT, Program
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import write
from tests.scenarios.real_time import SHORT, LiveQuery, Output, reads
from tests.scenarios.scene import Scene


def test_a_query_changes_between_real_time_and_micro_batches(
    a: KafkaCluster, b: KafkaCluster, three: str, scene: Scene, live: LiveQuery
) -> None:
    scene.publish("orders", {"a": on(a, three)})
    expected = write(a, three, "a0")
    live.start(reads(scene).load(), **SHORT).await_values(expected)
    live.await_committed(1)
    live.stop()
    scene.publish("orders", {"a": on(a, three), "b": on(b, three)})
    expected += write(b, three, "b0") + write(a, three, "a1")
    live.start(reads(scene).load(), availableNow=True)
    assert live.query.awaitTermination(90)
    live.await_values(expected)
    expected += write(b, three, "b1")
    live.start(reads(scene).load()).await_values(expected)


def test_a_batch_that_another_trigger_left_over_is_finished_first_and_one_of_this_mode_is_read_again(
    a: KafkaCluster, three: str, scene: Scene, live: LiveQuery, both: SparkSession
) -> None:
    # Spark 4.3 itself begins this mode on the checkpoint of another trigger only so.
    both.conf.set("spark.sql.streaming.realTimeMode.dangerouslyAllowCheckpointV1.enabled", "true")
    scene.publish("orders", {"a": on(a, three)})
    first = write(a, three, "a0")
    logs = BatchLogs(live.checkpoint)
    live.start(reads(scene).load(), availableNow=True)
    assert live.query.awaitTermination(90)
    logs.leave_over(0)
    live.start(reads(scene).load())
    with pytest.raises(Exception, match=r"Batch 0 is logged and not committed.*availableNow"):
        live.query.awaitTermination(60)
    live.start(reads(scene).load(), availableNow=True)
    assert live.query.awaitTermination(90)
    live.await_values(first * 2)
    live.start(reads(scene).load(), **SHORT)
    live.await_among(second := write(a, three, "a1"))
    live.await_committed(2)
    live.stop()
    logs.leave_over(1)
    live.start(reads(scene).load()).await_values(first * 2 + second * 2)


@pytest.fixture(params=[None, pytest.param("4.3.0", marks=pytest.mark.matrix)])
def its_spark(request: pytest.FixtureRequest) -> dict[str, str]:
    """Variables of a driver: with this Spark, or with 4.3, which commits a batch while the next one begins."""
    variables = {"PYTHONPATH": str(ROOT), "SPARK_SUBMIT_OPTS": ""}
    if request.param is None:
        return variables
    home = spark_folder(request.param)
    return variables | {"PYTHONPATH": f"{home}:{ROOT}", "SPARK_HOME": str(home / "pyspark")}


def test_a_driver_that_is_killed_in_a_batch_reads_on_where_what_was_not_committed_has_begun(
    a: KafkaCluster,
    b: KafkaCluster,
    three: str,
    file: FileListing,
    tmp_path: Path,
    fresh_name: Name,
    its_spark: dict[str, str],
) -> None:
    """What was written before a cluster was listed is not wanted. What was written since is, though no batch ended."""
    file.publish("orders", {"a": on(a, three)})
    output = Output(a, fresh_name("output"))
    options = {"startingOffsets": "latest", "newClusterOffsets": "latest"}
    given = [str(file.path), "orders", str(tmp_path), a.bootstrap_servers, output.topic, json.dumps(options)]
    program = [sys.executable, "-m", "tests.scenarios.real_time_program", *given]
    write(a, three, "a before the start") and write(b, three, "b before it is listed")
    with Program(program, tmp_path, its_spark):
        first = probed(output, a, three, "first")
        file.publish("orders", {"a": on(a, three), "b": on(b, three)})
        second = probed(output, b, three, "second")
    between = write(a, three, "a while it is down") + write(b, three, "b while it is down")
    with Program(program, tmp_path, its_spark):
        output.await_among(between, within=120)
        seen = output.values()
    output.close()
    asynchronous = "async commit log" in (tmp_path / "spark-1" / "spark.log").read_text()
    assert asynchronous == ("SPARK_HOME" in its_spark)
    assert {"a before the start", "b before it is listed"}.isdisjoint(seen)
    assert {*first, *between} <= set(seen)
    assert all(seen.count(value) > 1 for value in second), "what was not committed is read again"


def probed(output: Output, cluster: KafkaCluster, topic: str, name: str) -> list[str]:
    """Writes until something of it comes, and then once more. From the first that came on, all must come again."""
    written: list[str] = []

    def came() -> list[str]:
        written.extend(write(cluster, topic, f"{name}{len(written)}"))
        return [value for value in output.values() if value in written]

    came_first = eventually(f"{name} comes", came, until=bool, within=120, every=0.2)[0]
    wanted = written[written.index(came_first) :] + write(cluster, topic, f"{name} last")
    output.await_among(wanted)
    return wanted
