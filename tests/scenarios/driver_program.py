"""A driver of its own, to be killed: one query into files, see `Attempt`.

``driver_program.py STREAMS STREAM_ID FOLDER OPTIONS INTERVAL`` runs until it is killed; ``OPTIONS`` are more options,
as JSON, and ``INTERVAL`` is between two batches. Rows have ``[id, cluster, partition, offset]``.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.scenarios.attempts import Attempt
from tests.scenarios.session import start_spark


def main() -> None:
    streams, stream_id, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    attempt = new_attempt(folder)
    spark = start_spark(folder / f"spark-{attempt.number}")
    writer = prepared(spark, attempt, streams, stream_id, folder, json.loads(sys.argv[4]))
    writer.trigger(processingTime=sys.argv[5]).start().awaitTermination()


def new_attempt(folder: Path) -> Attempt:
    return Attempt(folder, "cluster", "partition", "offset")


def prepared(
    spark: SparkSession, attempt: Attempt, streams: str, stream_id: str, folder: Path, options: Mapping[str, str]
) -> DataStreamWriter:
    """The query, without a trigger."""
    rows = (
        DynamicKafkaSource.builder(spark)
        .metadata_service(YamlFileMetadataService(streams))
        .stream_ids(stream_id)
        .starting_offsets("earliest")
        .metadata_discovery_interval("300ms")
        # What is written while a slow machine starts a driver must not be a hundred batches.
        .max_offsets_per_trigger(1000)
        .options(**options)
        .load()
    )
    return rows.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(attempt.keep)


if __name__ == "__main__":
    main()
