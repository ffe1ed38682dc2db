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

_RETAINED = ("spark.ui.retainedJobs", "spark.ui.retainedStages", "spark.sql.ui.retainedExecutions")

# For sessions of whatever kind on this machine.
QUIET = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

_LOG4J = """
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{HH:mm:ss.SSS}} %p %c{{1}} [%t] %m%n%ex
"""


def log4j(log: Path, level: str = "info") -> str:
    """The option by which a JVM logs into this file."""
    settings = log.with_name("log4j2.properties")
    settings.write_text(_LOG4J.format(log=log, level=level))
    return f"-Dlog4j2.configurationFile={settings.as_uri()}"


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
    quick = quick_spark.java_options(archive)
    options = {
        **quick_spark.settings(),
        **QUIET,
        "spark.driver.extraJavaOptions": f"{log4j(folder / 'spark.log')} {quick}",
        "spark.executor.extraJavaOptions": quick,
        "spark.driver.memory": "1g",
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
        # Of a thousand by default: what a test looks at in the UI is what it has just done.
        **dict.fromkeys(_RETAINED, "50"),
        # An idle query asks its clusters so often, instead of a hundred times a second.
        "spark.sql.streaming.pollingDelay": "50ms",
        "spark.ui.port": "0",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("scenarios")
    for key, value in {**options, **(more or {})}.items():
        builder = builder.config(key, value)
    return builder
