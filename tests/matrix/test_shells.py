"""Shells, where the session runs before the user types anything."""

import json
from pathlib import Path

import dynamic_kafka
import pytest

from tests.readme import printed_by
from tests.scenarios.spark_programs import CLEAN, HOME, SmallStream

SMALL = ("--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1")
PATIENCE = 120
# As in a cell of a notebook: `spark` is there.
_TYPED = """
import json
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
source = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService({streams!r}))
rows = source.stream_ids({stream!r}).starting_offsets("earliest").load()
query = rows.writeStream.format("memory").queryName("kept").trigger(availableNow=True).start()
query.awaitTermination()
print("found", json.dumps(sorted(bytes(row.value).decode() for row in spark.table("kept").collect())))
"""
_IN_SCALA = """
val rows = spark.readStream.format("dynamic-kafka").option("metadataService", "yaml").option("startingOffsets", "earliest").option("metadataService.path", "{streams}").option("streamIds", "{stream}").load()
val query = rows.selectExpr("cast(value AS string)").writeStream.format("memory").queryName("kept").trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow()).start()
query.awaitTermination()
println("found " + spark.table("kept").collect().map(_.getString(0)).sorted.mkString("[\\"", "\\",\\"", "\\"]"))
:quit
"""  # noqa: E501 - a line is what the shell reads at a time


@pytest.mark.matrix
def test_a_pyspark_shell_reads_rows_with_nothing_but_the_wheel(
    environment: Path, small: SmallStream, tmp_path: Path
) -> None:
    # Python reads what starts Spark only where it is asked for a prompt.
    variables = {"PYSPARK_PYTHON": str(environment), "PYSPARK_DRIVER_PYTHON_OPTS": "-i"}
    typed = _TYPED.format(streams=str(small.streams), stream=small.stream_id)
    assert found(shell("pyspark", typed, tmp_path, variables)) == small.values


@pytest.mark.matrix
def test_a_spark_shell_reads_rows_with_the_jar(small: SmallStream, tmp_path: Path) -> None:
    typed = _IN_SCALA.format(streams=small.streams, stream=small.stream_id)
    assert found(shell("spark-shell", typed, tmp_path, {}, "--jars", str(dynamic_kafka.jar_path()))) == small.values


def shell(name: str, typed: str, folder: Path, variables: dict[str, str], *arguments: str) -> str:
    """What a shell prints when this is typed into it."""
    (folder / "typed").write_text(typed)
    command = f'exec "$0" "$@" < {folder / "typed"}'
    script = [str(HOME / "bin" / name), *SMALL, *arguments]
    return printed_by(["bash", "-c", command, *script], folder, {**CLEAN, **variables}, within=PATIENCE)


def found(printed: str) -> list[str]:
    """The values that the shell printed; its prompt may come before them."""
    lines = [line.partition("found [")[2] for line in printed.splitlines() if "found [" in line]
    assert lines, printed[-6000:]
    values: list[str] = json.loads(f"[{lines[-1]}")
    return values
