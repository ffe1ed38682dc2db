"""The streaming query of the demo, written as a user would write it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, JvmMetadataService, MetadataService, configure_spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own habit
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

from demo.clock import Clock
from demo.history import Batch

_COUNTS = "by_cluster"
_PREFIX = "cluster."


def open_session(logs: Path) -> SparkSession:
    """A small local session that writes its log to a file, not to the screen."""
    settings = logs.with_name("log4j2.properties")
    settings.write_text(
        "rootLogger.level = warn\n"
        "rootLogger.appenderRef.file.ref = file\n"
        "logger.source.name = io.github.dynamickafka\n"
        "logger.source.level = info\n"
        "logger.kafka.name = io.github.dynamickafka.shaded\n"
        "logger.kafka.level = warn\n"
        "appender.file.type = File\n"
        "appender.file.name = file\n"
        f"appender.file.fileName = {logs}\n"
        "appender.file.append = false\n"
        "appender.file.layout.type = PatternLayout\n"
        "appender.file.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex\n"
    )
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("dynamic-kafka-demo")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={settings.as_uri()}")
    )
    return configure_spark(builder).getOrCreate()


class OrderQuery:
    """Reads the orders into Parquet files below ``folder``, by one query that is never restarted."""

    def __init__(self, spark: SparkSession, service: MetadataService | JvmMetadataService, folder: Path) -> None:
        self._spark = spark
        self._service = service
        self._folder = folder
        self._seen = -1
        self._last_end = 0.0

    def start(self, stream: str, clusters: Sequence[str], *, most_per_batch: int) -> None:
        """``clusters`` are those that are counted separately."""
        orders = (
            DynamicKafkaSource.builder(self._spark)
            .metadata_service(self._service)
            .stream_ids(stream)
            .starting_offsets("earliest")
            .metadata_discovery_interval("1s")
            .max_offsets_per_trigger(most_per_batch)
            .load()
        )
        counted = orders.observe(_COUNTS, *(F.count_if(F.col("cluster") == name).alias(name) for name in clusters))
        self._query: StreamingQuery = (
            counted.selectExpr("cast(get_json_object(cast(value as string), '$.id') as long) as id", "cluster")
            .writeStream.format("parquet")
            .option("path", str(self._folder / "orders"))
            .option("checkpointLocation", str(self._folder / "checkpoint"))
            .trigger(processingTime="1 second")
            .start()
        )

    def stop(self) -> None:
        self._query.stop()

    def output(self) -> list[tuple[int, str]]:
        """Reads back what the query has written: each order's id, -1 if it has none, and its cluster."""
        rows = self._spark.read.parquet(str(self._folder / "orders")).collect()
        return [(-1 if row.id is None else row.id, row.cluster) for row in rows]

    def new_batches(self, clock: Clock) -> Iterator[Batch]:
        """The batches that ended since the last call. Raises the error if the query has failed."""
        failure = self._query.exception()
        if failure is not None:
            raise failure
        for progress in self._query.recentProgress:
            # The progress event of a trigger without data repeats the number of the next batch.
            if progress.batchId > self._seen and _COUNTS in progress.observedMetrics:
                batch = _batch(progress, clock, self._last_end)
                self._seen, self._last_end = batch.number, batch.at
                yield batch


def _batch(progress: StreamingQueryProgress, clock: Clock, last_end: float) -> Batch:
    metrics = progress.sources[0].metrics
    end = clock.of(progress.timestamp) + progress.batchDuration / 1000
    return Batch(
        number=progress.batchId,
        at=end,
        # The first batch has none before it. The least duration prevents a division by almost zero.
        seconds=max(end - last_end, 0.1) if last_end else progress.batchDuration / 1000,
        orders=progress.observedMetrics[_COUNTS].asDict(),
        states=_by_cluster(metrics, ".state"),
        waiting={name: int(count) for name, count in _by_cluster(metrics, ".pendingRecords").items()},
        topology_change=metrics.get("lastTopologyChange", "").partition(" ")[2],  # without the time
    )


def _by_cluster(metrics: Mapping[str, str], ending: str) -> dict[str, str]:
    """The metrics `cluster.<id><ending>` by id. An id may contain dots."""
    return {
        name.removeprefix(_PREFIX).removesuffix(ending): value
        for name, value in metrics.items()
        if name.startswith(_PREFIX) and name.endswith(ending)
    }
