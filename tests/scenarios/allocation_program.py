"""A driver of its own on a Spark cluster, with dynamic allocation from one executor on: how many does it come to have?

``allocation_program.py STREAMS STREAM_ID FOLDER MASTER WANTED`` ends once there are so many executors, and prints how
many there are at the end in its last line.
"""

import hashlib
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from tests.cluster import eventually
from tests.scenarios.session import start_spark

DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.executor.cores": "1",
    "spark.executor.memory": "600m",
}


def main() -> None:
    streams, stream_id, folder, master, wanted = sys.argv[1:]
    spark = start_spark(Path(folder), more={"spark.master": master, **DYNAMIC})
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    rows = builder.starting_offsets("earliest").load().select(udf(hard_work)("value"))
    query = rows.writeStream.format("noop").option("checkpointLocation", str(Path(folder) / "checkpoint")).start()
    try:
        eventually(
            f"there are {wanted} executors", lambda: executors(spark), until=lambda n: n >= int(wanted), within=60
        )
    finally:
        print(executors(spark), flush=True)
        query.stop()
        spark.stop()


def hard_work(value: bytes) -> str:
    """Takes about a millisecond: a batch must last longer than Spark waits before it asks for more."""
    return hashlib.pbkdf2_hmac("sha256", value, b"salt", 1000).hex()


def executors(spark: SparkSession) -> int:
    """How many there are at the moment; the driver is listed beside them."""
    return len(spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1


if __name__ == "__main__":
    main()
