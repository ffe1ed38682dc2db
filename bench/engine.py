"""The Spark session that all contestants share, and its process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from dynamic_kafka import configure_spark
from pyspark.sql import SparkSession
from tests.scenarios.session import QUIET, log4j

from bench.folders import BARE_JARS, FOLDER, SPARK_JARS

_HEAP = "3g"
# The whole heap from the start. Otherwise each collection before a measurement returns memory to the system, and the
# next contestant pays for getting it again. That matters most in short runs.
_FIXED_HEAP = f"-Xms{_HEAP} -XX:+AlwaysPreTouch"


class Engine:
    """A local session with one task thread per core of the machine. It has Spark's own Kafka source and ours."""

    def __init__(self) -> None:
        self.cores = psutil.cpu_count() or 1
        self.spark = _open_session(self.cores)
        self._isolated: dict[str, Any] = {}
        # spark-submit is a script that becomes the JVM.
        self._process = psutil.Process(self.spark.sparkContext._gateway.proc.pid)  # type: ignore[union-attr]

    @property
    def jvm(self) -> Any:
        return self.spark.sparkContext._jvm

    def cpu_seconds(self) -> float:
        """CPU seconds of the session's process so far, including its compiler and its garbage collector."""
        used = self._process.cpu_times()
        return float(used.user + used.system)

    def collect_garbage(self) -> None:
        """Collects garbage, so that no contestant pays for the one before."""
        self.jvm.java.lang.System.gc()

    def isolated(self, class_name: str) -> Any:
        """The one object of a class of `bench/jvm`, loaded with a Kafka client that Spark does not see."""
        # One each: py4j treats two classes with one name as the same, even from two loaders.
        if class_name not in self._isolated:
            self._isolated[class_name] = self._load(class_name)
        return self._isolated[class_name]

    def _load(self, class_name: str) -> Any:
        lang = self.jvm.java.lang
        loader = self.jvm.java.net.URLClassLoader(
            self._array(self.jvm.java.net.URL, [self.jvm.java.net.URI(path.as_uri()).toURL() for path in _jars()]),
            lang.ClassLoader.getSystemClassLoader(),
        )
        found = loader.loadClass(f"io.github.dynamickafka.spark.bench.{class_name}")
        return found.getDeclaredConstructor(self._array(lang.Class, [])).newInstance(self._array(lang.Object, []))

    def stop(self) -> None:
        self.spark.stop()

    def _array(self, kind: Any, items: Sequence[Any]) -> Any:
        made = self.spark.sparkContext._gateway.new_array(kind, len(items))  # type: ignore[union-attr]
        for index, item in enumerate(items):
            made[index] = item
        return made


def _jars() -> list[Path]:
    return sorted(BARE_JARS.glob("*.jar"))


def _open_session(cores: int) -> SparkSession:
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "spark.log").unlink(missing_ok=True)
    options = {
        **QUIET,
        "spark.jars": ",".join(map(str, sorted(SPARK_JARS.glob("*.jar")))),
        "spark.driver.memory": _HEAP,
        "spark.driver.extraJavaOptions": f"{log4j(FOLDER / 'spark.log', 'warn')} {_FIXED_HEAP}",
        "spark.sql.shuffle.partitions": "1",  # the state of one sum; the same for both sources
        "spark.sql.streaming.noDataProgressEventInterval": "100ms",
        "spark.sql.warehouse.dir": (FOLDER / "warehouse").as_uri(),
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("dynamic-kafka-bench")
    for key, value in options.items():
        builder = builder.config(key, value)
    return configure_spark(builder).getOrCreate()
