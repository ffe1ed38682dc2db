"""The one Spark session of a run."""

import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from dynamic_kafka import configure_spark
from pyspark.sql import SparkSession

from tests.scenarios import quick_spark

# What Spark's JVM has in its environment under this name; a test that it goes nowhere looks for it.
PLANTED = "DYNAMIC_KAFKA_TESTS_PLANTED"
# What the examples of docs/security.md look for there.
KAFKA_PASSWORD, STORE_PASSWORD = "first", "of-the-stores"
# What an executor's machine says of its place, as in docs/questions.md.
RACK = "south"

# The metrics of queries in two sinks of Spark: the page `/metrics/prometheus` of its UI, and JMX.
MONITORED = {
    "spark.plugins": "io.github.dynamickafka.spark.MonitoringPlugin",
    "spark.metrics.conf.*.sink.prometheusServlet.class": "org.apache.spark.metrics.sink.PrometheusServlet",
    "spark.metrics.conf.*.sink.prometheusServlet.path": "/metrics/prometheus",
    "spark.metrics.conf.*.sink.jmx.class": "org.apache.spark.metrics.sink.JmxSink",
}

_LOG4J = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss.SSS}} %p %c{{1}} [%t] %m%n%ex
"""


def start_spark(
    folder: Path, cores: int = 2, more: Mapping[str, str] | None = None, archive: Sequence[str] | None = None
) -> SparkSession:
    """A local session that has the source from the start; the parameters are those of ``session_builder``."""
    return configure_spark(session_builder(folder, cores, more, archive)).getOrCreate()


def session_builder(
    folder: Path, cores: int = 2, more: Mapping[str, str] | None = None, archive: Sequence[str] | None = None
) -> SparkSession.Builder:
    """Of a local session whose log, events and warehouse lie in ``folder``: `spark.log`, `events`, `warehouse`.

    ``more`` is configuration that wins, a master included; ``archive`` as in ``java_options``.
    """
    (folder / "events").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault(PLANTED, f"planted-{uuid.uuid4().hex}")
    os.environ |= {"KAFKA_PASSWORD": KAFKA_PASSWORD, "STORE_PASSWORD": STORE_PASSWORD, "RACK": RACK}
    log4j = folder / "log4j2.properties"
    log4j.write_text(_LOG4J.format(log=folder / "spark.log"))
    quick = quick_spark.java_options(archive)
    options = {
        **quick_spark.settings(),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log4j} {quick}",
        "spark.executor.extraJavaOptions": quick,
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file:{folder / 'events'}",
        "spark.eventLog.compress": "false",
        "spark.sql.warehouse.dir": f"file:{folder / 'warehouse'}",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        # Metrics are looked at while nothing comes in, too.
        "spark.sql.streaming.noDataProgressEventInterval": "200ms",
        # A test that looks at what triggers took sees all of them; a hundred by default.
        "spark.sql.streaming.numRecentProgressUpdates": "2000",
        # An idle query asks its clusters so often, instead of a hundred times a second.
        "spark.sql.streaming.pollingDelay": "50ms",
        "spark.ui.enabled": "false",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("scenarios")
    for key, value in {**options, **(more or {})}.items():
        builder = builder.config(key, value)
    return builder
