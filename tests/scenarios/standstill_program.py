"""A driver of its own on a Spark cluster, where tasks are tried four times, and copied when they are slow: a Kafka
cluster stands still in the middle of its first batch.

``standstill_program.py STREAMS STREAM_ID FOLDER MASTER COUNT`` makes the file ``reading`` in FOLDER once a task has
rows of cluster ``b``, and goes on when there is the file ``frozen``. When the batch is through, it makes the file
``over``, and reads on until it has COUNT ids. Its last line is a JSON list of the batches: ``[seconds, ids]`` of each,
the seconds as of ``frozen``.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, udf

from tests.cluster import eventually
from tests.scenarios.session import start_spark

_TRIED = {
    "spark.task.maxFailures": "4",
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.executor.memory": "600m",
}


def main() -> None:
    streams, stream_id, folder, master = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    spark = start_spark(folder, more={"spark.master": master, **_TRIED})
    batches: list[tuple[float, list[str]]] = []

    def keep(batch: DataFrame, _: int) -> None:
        ids = [row["id"] for row in batch.select("id").collect()]
        batches.append((time.time() - (folder / "frozen").stat().st_mtime, ids))

    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    builder = builder.unavailable_cluster_policy("skip").unreadable_range_policy("defer").starting_offsets("earliest")
    rows = builder.load().withColumn("id", udf(meeting(str(folder)))(col("value")))
    query = rows.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(keep).start()
    eventually("the batch is through", lambda: batches or query.exception(), within=120)
    (folder / "over").touch()
    wanted = int(sys.argv[5])
    eventually(
        "all are there",
        lambda: query.exception() or sum(len(ids) for _, ids in batches),
        until=lambda seen: not isinstance(seen, int) or seen >= wanted,
        within=90,
    )
    # Whatever comes twice comes now.
    query.processAllAvailable()
    query.stop()
    spark.stop()
    print(json.dumps(batches))


def meeting(folder: str) -> Callable[[bytes], str]:
    """The id of a value. The first one of cluster b waits until that is frozen."""

    def id_of(value: bytes) -> str:
        import os
        import time

        text = bytes(value).decode().partition(" ")[0]
        if text.startswith("b"):
            open(os.path.join(folder, "reading"), "a").close()  # noqa: PTH118, PTH123
            while not os.path.exists(os.path.join(folder, "frozen")):  # noqa: PTH110, PTH118
                time.sleep(0.05)  # the pause between two looks
        return text

    return id_of


if __name__ == "__main__":
    main()
