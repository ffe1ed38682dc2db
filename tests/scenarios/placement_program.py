"""A driver of its own on a Spark cluster: reads all that a stream holds in many batches, and notes who read what.

``placement_program.py STREAMS STREAM_ID FOLDER MASTER OFFSETS`` reads so many offsets in each batch. Its last line is a
JSON object: ``batches``, a list of ``[cluster, partition, executor]`` for each batch, and ``connections``, by executor
a list of the remote ports that it is connected to when the last batch is through.
"""

import json
import os
import sys
from pathlib import Path

import psutil
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

from tests.scenarios.session import start_spark

EXECUTOR = "CoarseGrainedExecutorBackend"


def main() -> None:
    streams, stream_id, folder, master, offsets = sys.argv[1:]
    where = Path(folder)
    spark = start_spark(where, more={"spark.master": master, "spark.executor.memory": "600m"})
    batches: list[list[list[object]]] = []
    here = udf(working_folder)

    def note(batch: DataFrame, _: int) -> None:
        rows = batch.select("cluster", "partition", here("value").alias("folder")).collect()
        seen = {(row["cluster"], row["partition"], Path(row["folder"]).name) for row in rows}
        batches.append([list(one) for one in sorted(seen)])

    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    rows = builder.starting_offsets("earliest").max_offsets_per_trigger(int(offsets)).load()
    writer = rows.writeStream.option("checkpointLocation", str(where / "checkpoint")).foreachBatch(note)
    writer.trigger(availableNow=True).start().awaitTermination()
    found = {"batches": batches, "connections": connections(spark)}
    spark.stop()
    print(json.dumps(found))


def working_folder(_: bytes) -> str:
    """Of an executor, whose last name is the executor's id."""
    return os.getcwd()  # noqa: PTH109 - travels without this module's imports


def connections(spark: SparkSession) -> dict[str, list[int]]:
    """By id of each executor, the remote ports of its connections."""
    own = spark.sparkContext.applicationId
    executors = [it for it in psutil.process_iter(["cmdline"]) if is_executor(it.info["cmdline"] or [], own)]
    return {
        Path(executor.cwd()).name: [
            it.raddr.port for it in executor.net_connections("tcp") if it.raddr and it.status == "ESTABLISHED"
        ]
        for executor in executors
    }


def is_executor(command: list[str], application: str) -> bool:
    return application in command and any(EXECUTOR in word for word in command)


if __name__ == "__main__":
    main()
