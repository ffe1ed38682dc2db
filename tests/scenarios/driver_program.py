"""A driver of its own, to be killed: one query into files, see `Attempt`.

``driver_program.py STREAMS STREAM_ID FOLDER OPTIONS INTERVAL`` runs until it is killed; ``OPTIONS`` are more options,
as JSON, and ``INTERVAL`` is between two batches. Rows have ``[id, cluster, partition, offset]``.
"""

import json
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService

from tests.scenarios.attempts import Attempt
from tests.scenarios.session import start_spark


def main() -> None:
    streams, stream_id, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    attempt = Attempt(folder, "cluster", "partition", "offset")
    spark = start_spark(folder / f"spark-{attempt.number}")
    rows = (
        DynamicKafkaSource.builder(spark)
        .metadata_service(YamlFileMetadataService(streams))
        .stream_ids(stream_id)
        .starting_offsets("earliest")
        .metadata_discovery_interval("300ms")
        # What is written while a slow machine starts a driver must not be a hundred batches.
        .max_offsets_per_trigger(1000)
        .options(**json.loads(sys.argv[4]))
        .load()
    )
    writer = rows.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(attempt.keep)
    writer.trigger(processingTime=sys.argv[5]).start().awaitTermination()


if __name__ == "__main__":
    main()
