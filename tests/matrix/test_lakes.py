"""The recipes of `docs/recipes.md` that write into Delta and Iceberg."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.matrix.corners import Corner, environment
from tests.packages import jars_of
from tests.readme import ROOT, Program
from tests.recipes import block, within
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
}
ICEBERG = ("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0", "iceberg-spark-runtime-")


def counts(
    corner: Corner, wheel: Path, jars: tuple[Path, ...], settings: dict[str, str], work: dict[str, Any]
) -> object:
    """How many rows the table has after each step."""
    python, variables = environment(corner, wheel)
    local = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
    named = {**local, "spark.sql.shuffle.partitions": "2", "spark.jars": ",".join(map(str, jars)), **settings}
    words = " ".join(f"--conf {key}={value}" for key, value in named.items())
    command = [str(python), str(ROOT / "tests" / "matrix" / "lake_program.py"), json.dumps(work)]
    folder = Path(work["folder"])
    with Program(command, folder, {**variables, "PYSPARK_SUBMIT_ARGS": f"{words} pyspark-shell"}) as program:
        assert program.end(within=PATIENCE) == 0, program.printed()[-6000:]
        return json.loads(program.printed().splitlines()[-1])


@pytest.mark.matrix
def test_delta_skips_a_batch_that_it_has_and_the_first_ones_of_a_new_checkpoint_under_the_old_name(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Delta"))
    new = code.replace("checkpoint-1", "checkpoint-2")
    under_the_old_name = new.replace('"txnAppId", CHECKPOINT', f'"txnAppId", "{tmp_path}/checkpoint-1"')
    assert new != code
    assert under_the_old_name != new
    steps = [
        {"code": code},
        {"code": code, "left_over": f"{tmp_path}/checkpoint-1"},
        {"code": under_the_old_name.replace("checkpoint-2", "checkpoint-3")},
        {"code": new},
    ]
    work = {
        "folder": str(tmp_path),
        "streams": str(small.streams),
        "stream": small.stream_id,
        "setup": [],
        "steps": steps,
        "count": f"SELECT count(*) FROM delta.`{tmp_path}/orders`",  # noqa: S608 - a folder of the test's own
    }
    all_ = len(small.values)
    found = counts(Corner("4.2.1", "17", "3.11"), wheel, jars_of(*DELTA), DELTA_SETTINGS, work)
    # A batch that runs again: nothing more. A new checkpoint under the old name: dropped. Under a new one: twice.
    assert found == [all_, all_, all_, 2 * all_]


@pytest.mark.matrix
def test_iceberg_has_each_record_once_though_a_batch_runs_again_and_a_new_checkpoint_reads_all_of_it(
    wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    code = within(tmp_path, block("Iceberg"))
    steps = [
        {"code": code},
        {"code": code, "left_over": f"{tmp_path}/checkpoint"},
        {"code": code.replace("/checkpoint", "/checkpoint-2")},
    ]
    columns = "cluster STRING, topic STRING, partition INT, offset BIGINT, value STRING"
    work = {
        "folder": str(tmp_path),
        "streams": str(small.streams),
        "stream": small.stream_id,
        "setup": [f"CREATE TABLE lake.shop.orders ({columns}) USING iceberg"],
        "steps": steps,
        "count": "SELECT count(*) FROM lake.shop.orders",
    }
    settings = {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(tmp_path / "lake"),
        # Batches are written by a session of their own, and this one would count what it knew before.
        "spark.sql.catalog.lake.cache-enabled": "false",
    }
    found = counts(Corner("4.1.4", "17", "3.11"), wheel, jars_of(*ICEBERG), settings, work)
    assert found == [len(small.values)] * 3
