"""Runs blocks that write a stream into a table, and counts the table after each: nothing here is of the tests.

``lake_program.py JSON`` prints a JSON list of the counts in its last line. The object has ``streams`` and ``stream``;
``setup``, statements of SQL that come first; ``steps``, each with the ``code`` of a block and, if the last batch shall
run again, its ``uncommitted`` checkpoint; and ``count``, the query that counts.
"""

import json
import sys
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark
from pyspark.sql import SparkSession

PATIENCE = 120
given = json.loads(sys.argv[1])
spark = configure_spark(SparkSession.builder).getOrCreate()


def run(code: str) -> None:
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(given["streams"]))
    orders = builder.stream_ids(given["stream"]).starting_offsets("earliest").load()
    named: dict[str, Any] = {"__name__": "__main__", "orders": orders}
    exec(code, named)  # noqa: S102 - the page's own
    query = named["query"]
    assert query.awaitTermination(PATIENCE)
    assert query.exception() is None


def leave_over(checkpoint: str) -> None:
    folder = Path(checkpoint) / "commits"
    last = max(int(file.name) for file in folder.iterdir() if file.name.isdigit())
    (folder / str(last)).unlink()
    # Its checksum; not every file system keeps one.
    (folder / f".{last}.crc").unlink(missing_ok=True)


for statement in given["setup"]:
    spark.sql(statement)
counts = []
for step in given["steps"]:
    if "uncommitted" in step:
        leave_over(step["uncommitted"])
    run(step["code"])
    counts.append(spark.sql(given["count"]).collect()[0][0])
print(json.dumps(counts))
