"""Adds the bundled jar to a session builder."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dynamic_kafka import _jvm, _plugins
from dynamic_kafka._jar import DISTRIBUTION, jar_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
PLUGINS = "spark.plugins"
CLASS_PATHS = ("spark.driver.extraClassPath", "spark.executor.extraClassPath")
MONITORING = "io.github.dynamickafka.spark.MonitoringPlugin"


def configure_spark(
    builder: SparkSession.Builder, *, monitoring: bool = False, plugins: Sequence[str] | None = None
) -> SparkSession.Builder:
    """Adds the bundled jar to `spark.jars` of a builder, and returns the builder.

        >>> spark = configure_spark(SparkSession.builder.appName("orders")).getOrCreate()

    It keeps the jars that the builder, `spark-submit`, `PYSPARK_SUBMIT_ARGS`, `spark-defaults.conf` or a running JVM
    already name. If this source is among them, or in `spark.jars.packages`, it adds nothing. It has no effect for Spark
    Connect, or if a session already runs: then `load` brings the jar.

    With ``monitoring``, Spark's metrics system also has the metrics of all queries: docs/monitoring.md. Spark loads
    plugins only when it starts.

    ``plugins`` are Maven coordinates of classes that implement Kafka's interfaces, such as a vendor's login. They do
    not work with the bundled jar, in which Kafka's packages are renamed. So the plugins and the thin jar, which brings
    Kafka's client, are added to `spark.jars.packages` instead, and Spark fetches them when it starts. Pass an empty
    list if a jar of your own has the classes.

        >>> configure_spark(SparkSession.builder, plugins=["software.amazon.msk:aws-msk-iam-auth:2.3.5"])

    Raises `InvalidOptionError` if the bundled jar is configured too, or if Spark no longer accepts packages.
    """
    # PySpark has no public way to read what was set.
    options: dict[str, object] = builder._options
    if "spark.remote" in options or "SPARK_REMOTE" in os.environ:
        return builder
    keys = (JARS, PACKAGES, PLUGINS, *CLASS_PATHS)
    named = {key: str(options[key]) if key in options else _configured(key) for key in keys}
    if monitoring and MONITORING not in named[PLUGINS].split(","):
        builder = builder.config(PLUGINS, _joined(named[PLUGINS], MONITORING))
    if plugins is not None:
        return builder.config(PACKAGES, _with_plugins(named, plugins))
    if any(DISTRIBUTION in named[key] for key in (JARS, PACKAGES)):
        return builder
    return builder.config(JARS, _joined(named[JARS], str(jar_path())))


def _with_plugins(named: dict[str, str], plugins: Sequence[str]) -> str:
    """The packages with the thin jar and the plugins."""
    wanted = _plugins.coordinates(plugins, has_thin=any(_plugins.THIN in named[key] for key in (JARS, PACKAGES)))
    places = {JARS: named[JARS].split(","), PACKAGES: [*named[PACKAGES].split(","), *wanted]}
    places |= {key: _plugins.on_class_path(named[key]) for key in CLASS_PATHS}
    places |= {"Spark's own folder of jars": _plugins.on_class_path(f"{_home()}/jars/*")}
    _plugins.check_no_shaded_jar(places)
    missing = [one for one in wanted if one not in named[PACKAGES].split(",")]
    if missing and _jvm.running_conf(PACKAGES) is not None:
        raise _plugins.too_late("Spark's JVM runs already, and takes no more packages", missing)
    if missing and PACKAGES in _submit_arguments():
        raise _plugins.too_late("PYSPARK_SUBMIT_ARGS names packages, and they win over those of a builder", missing)
    return _joined(named[PACKAGES], ",".join(missing)) if missing else named[PACKAGES]


def _joined(before: str, more: str) -> str:
    return f"{before},{more}" if before else more


def _configured(key: str) -> str:
    """The value that Spark finds for a key that the builder does not set. Empty if there is none."""
    running = _jvm.running_conf(key)
    if running is not None:
        return running
    return _submitted().get(key, "")


def _submitted() -> dict[str, str]:
    """What Spark's launcher reads from `PYSPARK_SUBMIT_ARGS` and from files. A file of `--properties-file` replaces
    `spark-defaults.conf`, unless `--load-spark-defaults` is given."""
    known = _parsed_arguments()
    chosen = _properties(Path(known.properties_file)) if known.properties_file else {}
    defaults = {} if known.properties_file and not known.load_spark_defaults else _properties(_defaults())
    return {**defaults, **chosen, **_submit_arguments()}


def _submit_arguments() -> dict[str, str]:
    """The settings in `PYSPARK_SUBMIT_ARGS` itself. A flag such as `--jars` wins over `--conf`."""
    known = _parsed_arguments()
    properties = dict(pair.split("=", 1) for pair in known.conf if "=" in pair)
    by_flag = {JARS: known.jars, PACKAGES: known.packages, CLASS_PATHS[0]: known.driver_class_path}
    return {**properties, **{key: value for key, value in by_flag.items() if value}}


def _parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--conf", "-c", action="append", default=[])
    parser.add_argument("--jars", default="")
    parser.add_argument("--packages", default="")
    parser.add_argument("--driver-class-path", default="")
    parser.add_argument("--properties-file", default="")
    parser.add_argument("--load-spark-defaults", action="store_true")
    return parser.parse_known_args(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")))[0]


def _defaults() -> Path:
    return Path(os.environ.get("SPARK_CONF_DIR") or Path(_home(), "conf"), "spark-defaults.conf")


def _home() -> Path:
    """Spark's home folder, as Spark's own launcher finds it."""
    import pyspark

    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)


def _properties(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    pairs = (line.replace("=", " ", 1).split(maxsplit=1) for line in path.read_text("utf-8").splitlines())
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2 and not pair[0].startswith("#")}
