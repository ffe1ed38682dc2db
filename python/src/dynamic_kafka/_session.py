"""Adds the bundled jar to a session builder."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from dynamic_kafka import _jvm
from dynamic_kafka._jar import DISTRIBUTION, jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
PLUGINS = "spark.plugins"
MONITORING = "io.github.dynamickafka.spark.MonitoringPlugin"


def configure_spark(builder: SparkSession.Builder, *, monitoring: bool = False) -> SparkSession.Builder:
    """Adds the bundled jar to `spark.jars` of a builder, and returns the builder.

        >>> spark = configure_spark(SparkSession.builder.appName("orders")).getOrCreate()

    It keeps the jars that the builder, `spark-submit`, `PYSPARK_SUBMIT_ARGS`, `spark-defaults.conf` or a running JVM
    already name. It adds nothing if this source is among them, or among `spark.jars.packages`. It has no effect for
    Spark Connect, or if a session already runs: then `load` brings the jar.

    With ``monitoring``, the metrics of all queries are shown in Spark's metrics system too: docs/monitoring.md. Spark
    looks for plugins only when it starts.
    """
    # PySpark has no public way to read what was set.
    options: dict[str, object] = builder._options
    if "spark.remote" in options or "SPARK_REMOTE" in os.environ:
        return builder
    keys = (JARS, PACKAGES, PLUGINS)
    named = {key: str(options[key]) if key in options else _configured(key) for key in keys}
    if monitoring and MONITORING not in named[PLUGINS].split(","):
        builder = builder.config(PLUGINS, _joined(named[PLUGINS], MONITORING))
    if any(DISTRIBUTION in named[key] for key in (JARS, PACKAGES)):
        return builder
    return builder.config(JARS, _joined(named[JARS], str(jar_path())))


def _joined(before: str, more: str) -> str:
    return f"{before},{more}" if before else more


def _configured(key: str) -> str:
    """The value that Spark finds for a key that the builder does not set. Empty if there is none."""
    running = _jvm.running_conf(key)
    if running is not None:
        return running
    return _submitted().get(key, "")


def _submitted() -> dict[str, str]:
    """What Spark's launcher reads from `PYSPARK_SUBMIT_ARGS` and from files. `--jars` wins over `--conf`, and `--conf`
    over a properties file. That file replaces `spark-defaults.conf`, unless both are asked for."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--conf", "-c", action="append", default=[])
    parser.add_argument("--jars", default="")
    parser.add_argument("--packages", default="")
    parser.add_argument("--properties-file", default="")
    parser.add_argument("--load-spark-defaults", action="store_true")
    known, _others = parser.parse_known_args(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")))
    properties = dict(pair.split("=", 1) for pair in known.conf if "=" in pair)
    by_flag = {JARS: known.jars, PACKAGES: known.packages}
    chosen = _properties(Path(known.properties_file)) if known.properties_file else {}
    defaults = {} if known.properties_file and not known.load_spark_defaults else _properties(_defaults())
    return {**defaults, **chosen, **properties, **{key: value for key, value in by_flag.items() if value}}


def _defaults() -> Path:
    import pyspark

    # The places where Spark's own launcher looks.
    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    return Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"), "spark-defaults.conf")


def _properties(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    pairs = (line.replace("=", " ", 1).split(maxsplit=1) for line in path.read_text("utf-8").splitlines())
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2 and not pair[0].startswith("#")}
