"""A session that was started without the jar: `load` brings it, and all works as if it had been there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.spark_cluster import SparkCluster
from tests.scenarios.spark_programs import SmallStream, run_program

pytestmark = pytest.mark.matrix


@contextmanager
def local(_: Path) -> Iterator[str]:
    """The master of a session that is its own executor."""
    yield "local[2]"


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """The master of a Spark cluster, whose executor is another process."""
    with SparkCluster(folder, workers=1) as spark:
        yield spark.master


@pytest.mark.parametrize("cluster", [local, standalone])
def test_each_kind_of_sink_gets_each_row_once_in_a_session_that_runs_already(
    cluster: Callable[[Path], Any], small: SmallStream, tmp_path: Path
) -> None:
    with cluster(tmp_path / "spark") as master:
        found = run_program("running_session_program", small.streams, small.stream_id, tmp_path / "program", master)
    kept = dict.fromkeys(("memory", "foreach_batch", "foreach", "parquet"), small.values)
    assert found["sinks"] == {**kept, "noop": 30, "console": 30}
    assert found["batch"] == {"a": 20, "b": 10}
    # What tasks found came back with their results.
    assert int(found["metrics"]["currentEmitEventTimeLag"]) > 0
    # So did why a task failed.
    assert found["failure"].startswith("[DYNAMIC_KAFKA_INVALID_METADATA] ")
    assert "happened on an executor" in found["failure"]


@pytest.mark.parametrize("cluster", [local, standalone])
def test_real_time_mode_works_in_a_session_that_runs_already(
    cluster: Callable[[Path], Any], small: SmallStream, tmp_path: Path
) -> None:
    with cluster(tmp_path / "spark") as master:
        given = small.streams, small.stream_id, tmp_path / "program", master
        assert run_program("real_time_session_program", *given) == small.values


def test_each_row_comes_once_though_tasks_are_tried_twice_and_an_executor_is_killed_in_a_running_session(
    small: SmallStream, tmp_path: Path
) -> None:
    with SparkCluster(tmp_path / "spark", workers=2) as spark:
        given = small.streams, small.stream_id, tmp_path / "program", spark.master
        assert run_program("unstable_executors_program", *given) == small.values
    log = (tmp_path / "program" / "spark.log").read_text()
    assert "as speculatable" in log
    assert "ExecutorLostFailure" in log, "none was killed in the middle of a task"
