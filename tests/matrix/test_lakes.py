"""The recipes of `docs/recipes.md` that write into Delta and Iceberg."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.matrix.corners import Corner, environment
from tests.packages import jars_of
from tests.readme import ROOT, printed_by
from tests.recipes import block, within
from tests.scenarios.session import QUIET
from tests.scenarios.spark_programs import SmallStream

PATIENCE = 240
DELTA = (
    "io.delta:delta-spark_4.2_2.13:4.4.0",
    "delta-spark_",
    "delta-storage-",
    "delta-kernel-api-",
    "delta-kernel-defaults-",
)
DELTA_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Of a table as small as these; 50 otherwise.
    "spark.databricks.delta.snapshotPartitions": "2",
}
ICEBERG = ("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0", "iceberg-spark-runtime-")


def submit_arguments(jars: tuple[Path, ...], settings: dict[str, str]) -> str:
    """What starts a session with these, on this machine alone unless they say otherwise."""
    few = {"spark.master": "local[2]", "spark.sql.shuffle.partitions": "2", "spark.jars": ",".join(map(str, jars))}
    named = {**QUIET, **few, **settings}
    return " ".join(f"--conf {key}={value}" for key, value in named.items()) + " pyspark-shell"


def counts(
    corner: Corner, wheel: Path, jars: tuple[Path, ...], settings: dict[str, str], work: dict[str, Any]
) -> object:
    """How many rows the table has after each step."""
    python, variables = environment(corner, wheel)
    command = [str(python), str(ROOT / "tests" / "matrix" / "lake_program.py"), json.dumps(work)]
    folder = Path(work["folder"])
    submit = {**variables, "PYSPARK_SUBMIT_ARGS": submit_arguments(jars, settings)}
    return json.loads(printed_by(command, folder, submit, within=PATIENCE).splitlines()[-1])


ICEBERG_SETTINGS = {
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
    # Batches are written by a session of their own, and this one would count what it knew before.
    "spark.sql.catalog.lake.cache-enabled": "false",
}
TABLE = "cluster STRING, topic STRING, partition INT, offset BIGINT, value STRING"


def in_delta(wheel: Path, small: SmallStream, folder: Path, *steps: dict[str, str]) -> object:
    """How many rows the Delta table has after each step."""
    count = f"SELECT count(*) FROM delta.`{folder}/orders`"  # noqa: S608 - a folder of the test's own
    work = {**stream_of(small, folder), "setup": [], "steps": steps, "count": count}
    return counts(Corner("4.2.1", "17", "3.11"), wheel, jars_of(*DELTA), DELTA_SETTINGS, work)


def in_iceberg(wheel: Path, small: SmallStream, folder: Path, *steps: dict[str, str]) -> object:
    """How many rows the Iceberg table has after each step."""
    setup = [f"CREATE TABLE lake.shop.orders ({TABLE}) USING iceberg"]
    count = "SELECT count(*) FROM lake.shop.orders"
    work = {**stream_of(small, folder), "setup": setup, "steps": steps, "count": count}
    settings = {**ICEBERG_SETTINGS, "spark.sql.catalog.lake.warehouse": str(folder / "lake")}
    return counts(Corner("4.1.4", "17", "3.11"), wheel, jars_of(*ICEBERG), settings, work)


def stream_of(small: SmallStream, folder: Path) -> dict[str, str]:
    return {"folder": str(folder), "streams": str(small.streams), "stream": small.stream_id}


@pytest.mark.matrix
def test_delta_has_a_batch_that_runs_again_once_and_what_a_new_checkpoint_reads_again_twice(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Delta"))
    again = {"code": code, "uncommitted": f"{tmp_path}/checkpoint-1"}
    new = {"code": code.replace("checkpoint-1", "checkpoint-2")}
    all_ = len(small.values)
    assert in_delta(wheel, small, tmp_path, {"code": code}, again, new) == [all_, all_, 2 * all_]


@pytest.mark.matrix
def test_iceberg_has_a_batch_that_runs_again_once_and_what_a_new_checkpoint_reads_again_twice(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Iceberg"))
    again = {"code": code, "uncommitted": f"{tmp_path}/checkpoint"}
    new = {"code": code.replace("/checkpoint", "/checkpoint-2")}
    all_ = len(small.values)
    assert in_iceberg(wheel, small, tmp_path, {"code": code}, again, new) == [all_, all_, 2 * all_]


@pytest.mark.matrix
def test_delta_skips_a_batch_that_it_has_and_the_first_ones_of_a_new_checkpoint_under_the_old_name(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Delta in foreachBatch"))
    new = code.replace("checkpoint-1", "checkpoint-2")
    under_the_old_name = new.replace('"txnAppId", CHECKPOINT', f'"txnAppId", "{tmp_path}/checkpoint-1"')
    assert new != code
    assert under_the_old_name != new
    steps = [
        {"code": code},
        {"code": code, "uncommitted": f"{tmp_path}/checkpoint-1"},
        {"code": under_the_old_name.replace("checkpoint-2", "checkpoint-3")},
        {"code": new},
    ]
    all_ = len(small.values)
    # A batch that runs again: nothing more. A new checkpoint under the old name: dropped. Under a new one: twice.
    assert in_delta(wheel, small, tmp_path, *steps) == [all_, all_, all_, 2 * all_]


@pytest.mark.matrix
def test_a_merge_has_each_record_once_though_a_batch_runs_again_and_a_new_checkpoint_reads_all_of_it(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Merge by place"))
    steps = [
        {"code": code},
        {"code": code, "uncommitted": f"{tmp_path}/checkpoint"},
        {"code": code.replace("/checkpoint", "/checkpoint-2")},
    ]
    assert in_iceberg(wheel, small, tmp_path, *steps) == [len(small.values)] * 3
