"""A driver of its own that knows nothing of this source: a union of reads by Spark's own Kafka source, into files.

``union_program.py FOLDER READS HOW``: ``READS`` are `OneRead`s as JSON. ``HOW`` is ``run``, until it is killed, or
``finish``, until all is read. ``FOLDER/table/<batch>-<attempt>.json`` holds the rows of a batch as a JSON list of
``[id, topic, partition, offset]``.
"""

import json
import os
import sys
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession


def main() -> None:
    folder, reads, how = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
    table = folder / "table"
    table.mkdir(exist_ok=True)
    attempt = 1 + max((int(path.stem.split("-")[1]) for path in table.glob("*.json")), default=0)

    def keep(batch: DataFrame, batch_id: int) -> None:
        rows = [
            [bytes(row["value"]).decode(), row["topic"], row["partition"], row["offset"]] for row in batch.collect()
        ]
        draft = table / f"{batch_id}-{attempt}.draft"
        draft.write_text(json.dumps(rows))
        os.replace(draft, table / f"{batch_id}-{attempt}.json")  # noqa: PTH105 - so that no half file is seen

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    frames = [
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", read["address"])
        .option("subscribe", read["topic"])
        .option("startingOffsets", read["starting"])
        .option("maxOffsetsPerTrigger", "200")
        .load()
        for read in reads
    ]
    writer = reduce(DataFrame.union, frames).writeStream.foreachBatch(keep)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer = writer.trigger(availableNow=True) if how == "finish" else writer.trigger(processingTime="100 milliseconds")
    writer.start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
