"""Which tasks batches have on a Spark cluster of many executors: ``slots_program.py FOLDER``.

`cases.json` in the folder lists the cases, as ``Case``. Each is read by one query, batch after batch, until nothing is
left. The last line that this prints is JSON: for each case, for each batch, its tasks as ``Task``.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from dynamic_kafka import DynamicKafkaSource, InMemoryMetadataService, KafkaStream
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr, spark_partition_id
from tests.cluster import eventually
from tests.scenarios.session import start_spark

from bench.sources import STREAM, Listed

EXECUTORS, CORES = 16, 4
SLOTS = EXECUTORS * CORES
_MEMORY_MIB = 512
_WITHIN = 300.0
# An executor runs in a folder of its own, whose last name is its id.
_EXECUTOR = "reflect('java.lang.System', 'getProperty', 'user.dir')"


@dataclass(frozen=True, slots=True)
class Case:
    """What a query reads, the options of the source, and an SQL expression that it evaluates for each row."""

    name: str
    listed: Sequence[Sequence[Any]]
    options: Mapping[str, str] = field(default_factory=dict)
    work: str = "'none'"


class Task(NamedTuple):
    """What one task of a batch has read, and where."""

    executor: str
    rows: int
    bytes: int


def main() -> None:
    folder = Path(sys.argv[1])
    cases = [Case(**one) for one in json.loads((folder / "cases.json").read_text())]
    spark = _session(folder)
    found = [_batches(spark, case, folder / f"checkpoint-{number}") for number, case in enumerate(cases)]
    spark.stop()
    print(json.dumps(found))


def _batches(spark: SparkSession, case: Case, checkpoint: Path) -> list[list[Task]]:
    listed = [Listed(*one) for one in case.listed]
    service = InMemoryMetadataService([KafkaStream(STREAM, {one.cluster_id: one.cluster() for one in listed})])
    builder = DynamicKafkaSource.builder(spark).metadata_service(service).stream_ids(STREAM)
    builder.starting_offsets("earliest")
    for name, value in case.options.items():
        builder.option(name, value)
    batches: list[list[Task]] = []

    def note(batch: DataFrame, _: int) -> None:
        # All of it is worked out by the task that reads a row.
        rows = batch.select(
            spark_partition_id().alias("task"),
            expr(_EXECUTOR).alias("executor"),
            expr("length(value)").alias("size"),
            expr(case.work).alias("work"),
        )
        tasks = rows.groupBy("task", "executor").agg(expr("count(*)"), expr("sum(size)"), expr("max(work)")).collect()
        batches.append([Task(Path(row[1]).name, row[2], row[3]) for row in tasks])

    writer = builder.load().writeStream.option("checkpointLocation", str(checkpoint)).foreachBatch(note)
    writer.trigger(availableNow=True).start().awaitTermination()
    return batches


def _session(folder: Path) -> SparkSession:
    spark = start_spark(
        folder,
        more={
            "spark.master": f"local-cluster[{EXECUTORS},{CORES},{_MEMORY_MIB}]",
            "spark.executor.memory": f"{_MEMORY_MIB}m",
            "spark.eventLog.enabled": "false",
            # Executors share the cores of this machine.
            "spark.network.timeout": "600s",
        },
    )
    # The driver's own is one of them.
    known = spark.sparkContext._jsc.sc()
    count = EXECUTORS + 1
    eventually(
        "all executors are there", lambda: known.getExecutorMemoryStatus().size(), until=count.__eq__, within=_WITHIN
    )
    return spark


if __name__ == "__main__":
    main()
