"""A session that was made without the jar, on a Spark cluster where tasks are tried twice, and executors come and go.

``unstable_executors_program.py STREAMS STREAM_ID FOLDER MASTER`` reads all that the stream holds, some records in each
batch, with speculative execution and dynamic allocation, and kills an executor in the middle of a batch. Its last line
is a JSON list of the values that the sink was given.
"""

import hashlib
import json
import sys
import threading
from pathlib import Path

import psutil
from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark import SparkContext
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, udf

from tests.cluster import eventually
from tests.scenarios.allocation_program import DYNAMIC
from tests.scenarios.placement_program import is_executor
from tests.scenarios.queries import value_of
from tests.scenarios.session import session_builder

_HARD = {
    **DYNAMIC,
    "spark.dynamicAllocation.maxExecutors": "2",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "50ms",
}
# So many batches come before the one in which an executor is killed.
_BEFORE = 2


def main() -> None:
    streams, stream_id, folder, master = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    spark = session_builder(folder, more={"spark.master": master, **_HARD}).getOrCreate()
    values: list[str] = []

    def keep(batch: DataFrame, number: int) -> None:
        if number == _BEFORE:
            threading.Thread(target=kill_one, args=[spark.sparkContext]).start()
        # The rows are worked for, and only then collected.
        values.extend(map(value_of, batch.where(col("worked") != "").collect()))

    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    rows = builder.starting_offsets("earliest").max_offsets_per_trigger(10).min_partitions(4).load()
    worked = rows.withColumn("worked", udf(hard_work)("value"))
    writer = worked.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(keep)
    writer.trigger(availableNow=True).start().awaitTermination()
    spark.stop()
    print(json.dumps(sorted(values)))


def hard_work(value: bytes) -> str:
    """Takes a tenth of a second, of some values a whole one: their task lags behind the others."""
    rounds = 2_000_000 if value.endswith(b"7") else 200_000
    return hashlib.pbkdf2_hmac("sha256", value, b"salt", rounds).hex()


def kill_one(spark: SparkContext) -> None:
    """An executor in the middle of its tasks, as a machine that loses power does it."""
    own = spark.applicationId
    executors = [it for it in psutil.process_iter(["cmdline"]) if is_executor(it.info["cmdline"] or [], own)]
    # Each executor runs one task at a time.
    eventually(
        "all have a task", lambda: active_tasks(spark), until=lambda n: n >= len(executors), within=60, every=0.01
    )
    executors[0].kill()


def active_tasks(spark: SparkContext) -> int:
    tracker = spark.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in stages if stage is not None)


if __name__ == "__main__":
    main()
