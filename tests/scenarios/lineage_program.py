"""A session with OpenLineage's listener, which writes its events into FOLDER/lineage.json, one a line.

``lineage_program.py STREAMS STREAM_ID FOLDER LISTENER WHERE`` writes the stream, and a batch read of it, into files,
and the plans of both into FOLDER/plans.txt. LISTENER is the listener's jar. WHERE says which jar is on the class path
of the driver from its start, as those in Spark's own folder are, where jars that are added later are out of sight:
``source``, ``listener``, or ``neither``.
"""

import sys
from contextlib import redirect_stdout
from pathlib import Path

from dynamic_kafka import (
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    YamlFileMetadataService,
)
from dynamic_kafka._jar import jar_path
from pyspark.sql import SparkSession

from tests.scenarios import quick_spark
from tests.scenarios.session import session_builder


def session(folder: Path, listener: str, where: str) -> SparkSession:
    jars = {"source": str(jar_path()), "listener": listener}
    first = jars.pop(where, "")
    settings = {
        "spark.jars": ",".join([quick_spark.settings()["spark.jars"], *jars.values()]),
        **({"spark.driver.extraClassPath": first} if first else {}),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": "tests",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(folder / "lineage.json"),
    }
    # Another class path has no archive of classes.
    return session_builder(folder, more=settings, archive=()).getOrCreate()


def main(streams: str, stream_id: str, folder: Path, listener: str, where: str) -> None:
    spark = session(folder, listener, where)

    def read() -> DynamicKafkaSourceBuilder:
        builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams))
        builder.kafka_property("ssl.key.password", "${env:STORE_PASSWORD}")
        return builder.stream_ids(stream_id).starting_offsets("earliest")

    writer = read().load().selectExpr("CAST(value AS STRING)").writeStream.format("parquet")
    writer = writer.option("path", str(folder / "stream")).option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    batch = read().bounded().load().selectExpr("CAST(value AS STRING)")
    batch.write.parquet(str(folder / "batch"))
    with (folder / "plans.txt").open("w") as plans, redirect_stdout(plans):
        query.explain(extended=True)
        last = query.lastProgress
        assert last is not None
        print(last.sources[0].description)
        batch.explain("formatted")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5])
