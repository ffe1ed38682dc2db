"""The streaming query of the demo, written as a user would write it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own habit
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

from dynamic_kafka import DynamicKafkaSource, QueryProgress, YamlFileMetadataService, configure_spark, progress
from dynamic_kafka._brokers import SetupError

_COUNTS = "by_cluster"
# It lives for a minute, in which the optimizing compiler costs more than it saves.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
logger.source.name = io.github.dynamickafka
logger.source.level = info
logger.kafka.name = io.github.dynamickafka.shaded
logger.kafka.level = warn
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.append = false
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
"""


def open_session(folder: Path) -> SparkSession:
    """A small local session, which writes its log to a file, not to the screen."""
    settings = folder / "log4j2.properties"
    settings.write_text(_LOGGING.format(log=folder / "spark.log"))
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("dynamic-kafka-demo")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
        .config("spark.driver.extraJavaOptions", f"{_QUICK} -Dlog4j2.configurationFile={settings.as_uri()}")
    )
    return configure_spark(builder).getOrCreate()


class OrderQuery:
    """Reads the orders into Parquet files below ``folder``, by one query that is never restarted."""

    def __init__(self, spark: SparkSession, folder: Path, clusters: Sequence[str], most_per_batch: int) -> None:
        """Starts it. ``clusters`` are those that are counted."""
        self._spark = spark
        self._output = str(folder / "orders")
        self._seen = -1
        self._arrived: Counter[str] = Counter()
        orders = (
            DynamicKafkaSource.builder(spark)
            .metadata_service(YamlFileMetadataService(folder / "streams.yaml"))
            .stream_ids("orders")
            .starting_offsets("earliest")
            .metadata_discovery_interval("1s")
            .max_offsets_per_trigger(most_per_batch)
            .load()
        )
        counted = orders.observe(_COUNTS, *(F.count_if(F.col("cluster") == name).alias(name) for name in clusters))
        self._query: StreamingQuery = (
            counted.selectExpr("get_json_object(cast(value AS string), '$.id') AS id", "cluster")
            .writeStream.queryName("orders")
            .format("parquet")
            .option("path", self._output)
            .option("checkpointLocation", str(folder / "checkpoint"))
            .trigger(processingTime="1 second")
            .start()
        )

    def arrived(self) -> Counter[str]:
        """How many orders came so far, by cluster.

        Raises the query's error if it has failed, and `SetupError` if it gave up what a cluster still had.
        """
        failure = self._query.exception()
        if failure is not None:
            raise failure
        for one in self._query.recentProgress:
            # The progress event of a trigger without data repeats the number of the next batch.
            if one.batchId > self._seen and _COUNTS in one.observedMetrics:
                self._arrived.update(one.observedMetrics[_COUNTS].asDict())
                self._seen = one.batchId
            require_whole(one)
        return self._arrived

    def progress(self) -> QueryProgress:
        return progress(self._query)

    def stop(self) -> None:
        self._query.stop()

    def rows(self) -> list[tuple[int, str]]:
        """What the query has written: each order's id, -1 if it has none, and its cluster."""
        rows = self._spark.read.parquet(self._output).collect()
        return [(int(row.id or -1), row.cluster) for row in rows]


def require_whole(progress: StreamingQueryProgress) -> None:
    """Raises `SetupError` if the query gave up what a cluster still had."""
    given_up = sum(int(source.metrics.get("abandonedRecords", 0)) for source in progress.sources)
    if given_up:
        raise SetupError(
            f"The query gave up {given_up:,} orders of a cluster that left the list: its broker did not answer, as on "
            "a machine that is too busy. Try it again; with --folder, spark.log says more."
        )
