"""The machine of a run."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import psutil

from bench.engine import Engine
from bench.folders import BARE_JARS, ROOT, SPARK_JARS


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts by name, in the order of the page."""

    facts: tuple[tuple[str, str], ...]


def describe(engine: Engine) -> Machine:
    """This machine, and what runs on it. ``load`` is the current one."""
    properties = engine.jvm.java.lang.System.getProperty
    return Machine(
        (
            ("commit", _commit()),
            ("date", f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"),
            ("cores", f"{psutil.cpu_count()} ({_processor()}), shared by brokers, Spark and the writer of the trickle"),
            ("memory", f"{psutil.virtual_memory().total / 2**30:.0f} GiB"),
            ("load average before the run", f"{os.getloadavg()[1]:.1f} over 5 minutes"),
            ("Java", properties("java.version")),
            ("Spark", f"{engine.spark.version}, master local[{engine.cores}]"),
            ("dynamic-kafka-spark", version("dynamic-kafka-spark")),
            ("Spark's own source", _jar("spark-sql-kafka", SPARK_JARS)),
            ("its Kafka client", _jar("kafka-clients", SPARK_JARS)),
            ("the bare consumers' client", _jar("kafka-clients", BARE_JARS)),
        )
    )


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False).stdout
    return name.strip() + (" with changes" if changed.strip() else "")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def _jar(name: str, folder: Path) -> str:
    return next(jar.stem for jar in sorted(folder.glob("*.jar")) if jar.name.startswith(name))
