"""A driver of its own that knows nothing of this source: a union of reads by Spark's own Kafka source, into files.

``union_program.py FOLDER READS HOW``: ``READS`` are `OneRead`s as JSON. ``HOW`` is ``run``, until it is killed, or
``finish``, until all is read. Rows have ``[id, topic, partition, offset]``, see `Attempt`.
"""

import json
import sys
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from tests.scenarios.attempts import Attempt


def main() -> None:
    folder, reads, how = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
    attempt = Attempt(folder, "topic", "partition", "offset")
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
    writer = reduce(DataFrame.union, frames).writeStream.foreachBatch(attempt.keep)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer = writer.trigger(availableNow=True) if how == "finish" else writer.trigger(processingTime="100 milliseconds")
    writer.start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main()
