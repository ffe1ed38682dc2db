"""A driver of its own that does a bit of everything and ends in good order: what it loads is archived.

``archive_program.py JAVA_OPTION``
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame

from tests.scenarios.session import start_spark

_PATIENCE = 180


def main() -> None:
    with TemporaryDirectory() as folder:
        spark = start_spark(Path(folder), archive=sys.argv[1:])

        def look(batch: DataFrame, _: int) -> None:
            batch.groupBy("value").count().collect()

        rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
        writer = rows.writeStream.option("checkpointLocation", f"{folder}/checkpoint").foreachBatch(look)
        query = writer.trigger(processingTime="100 milliseconds").start()
        while query.lastProgress is None or query.lastProgress.batchId < 2:
            query.awaitTermination(1)
        query.stop()
        gateway = spark.sparkContext._gateway
        assert gateway is not None
        spark.stop()
        # The JVM ends with its input, and writes the archive meanwhile.
        gateway.proc.stdin.close()
        gateway.proc.wait(_PATIENCE)


if __name__ == "__main__":
    main()
