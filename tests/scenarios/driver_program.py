"""A driver of its own, to be killed: one query into files, one for each attempt at a batch.

``driver_program.py STREAMS STREAM_ID FOLDER OPTIONS`` runs until it is killed; ``OPTIONS`` are more options,
as JSON. ``FOLDER/table/<batch>-<attempt>.json`` holds the rows of a batch as a JSON list of
``[id, cluster, partition, offset]``; ``attempt`` goes up with each start.
"""

import json
import os
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from pyspark.sql import DataFrame

from tests.scenarios.session import start_spark


def main() -> None:
    streams, stream_id, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    table = folder / "table"
    table.mkdir(parents=True, exist_ok=True)
    attempt = 1 + max((int(path.stem.split("-")[1]) for path in table.glob("*.json")), default=0)

    def keep(batch: DataFrame, batch_id: int) -> None:
        rows = [
            [bytes(row["value"]).decode(), row["cluster"], row["partition"], row["offset"]] for row in batch.collect()
        ]
        draft = table / f"{batch_id}-{attempt}.draft"
        draft.write_text(json.dumps(rows))
        os.replace(draft, table / f"{batch_id}-{attempt}.json")  # noqa: PTH105 - so that no half file is seen

    spark = start_spark(folder / f"spark-{attempt}")
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
    writer = rows.writeStream.option("checkpointLocation", str(folder / "checkpoint")).foreachBatch(keep)
    writer.trigger(processingTime="50 milliseconds").start().awaitTermination()


if __name__ == "__main__":
    main()
