"""Starts and ends a driver, and reads the table that it left."""

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from pyspark.sql import SparkSession

from tests.readme import ROOT, Program
from tests.scenarios import driver_program


class DriverProcess(Program):
    """``driver_program.py`` with its JVM, killed at the end of the block as a machine that loses power would do it."""

    def __init__(
        self, streams: Path, stream_id: str, folder: Path, interval: str = "50 milliseconds", **options: str
    ) -> None:
        folder.mkdir(exist_ok=True)
        program = [sys.executable, "-m", "tests.scenarios.driver_program"]
        given = [str(streams), stream_id, str(folder), json.dumps(options), interval]
        # The program's session has options of its own for its JVM.
        super().__init__([*program, *given], folder, {"PYTHONPATH": str(ROOT), "SPARK_SUBMIT_OPTS": ""})

    def terminate_jvm(self) -> None:
        """Asks the driver's JVM to end, as a cluster manager does it."""
        (jvm,) = [one for one in psutil.Process(self._process.pid).children(recursive=True) if "java" in one.name()]
        jvm.send_signal(signal.SIGTERM)


class DriverHere:
    """The query of ``driver_program.py`` in this session, stopped at the end of the block: where it is not the death of
    a driver that is looked at, since to start another one takes its time."""

    def __init__(self, spark: SparkSession, streams: Path, stream_id: str, folder: Path, **options: str) -> None:
        self._spark = spark
        self._given = (str(streams), stream_id, folder, options)

    def __enter__(self) -> "DriverHere":
        folder = self._given[2]
        writer = driver_program.prepared(self._spark, driver_program.new_attempt(folder), *self._given)
        self._query = writer.trigger(processingTime="50 milliseconds").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._query.stop()

    def check(self) -> None:
        """Raises what the query failed with, if it did."""
        failure = self._query.exception()
        if failure is not None:
            raise failure


class Table:
    """What drivers wrote, start after start, into one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "table"

    def attempts(self) -> dict[int, list[list[Any]]]:
        """By batch, the rows of each attempt at it."""
        found: dict[int, list[list[Any]]] = {}
        for path in self._folder.glob("*.json"):
            found.setdefault(int(path.stem.split("-")[0]), []).append(json.loads(path.read_text()))
        return found

    def ids(self) -> Counter[str]:
        """How often each id is in the table, a batch that was written again taking the place of itself."""
        return Counter(str(row[0]) for attempts in self.attempts().values() for row in attempts[0])

    def forget(self, batch: int) -> None:
        """Takes a batch away, as if no driver had written it."""
        for path in self._folder.glob(f"{batch}-*.json"):
            path.unlink()

    def unequal(self) -> list[int]:
        """The batches of which two attempts differ."""
        return [batch for batch, made in self.attempts().items() if any(sorted(one) != sorted(made[0]) for one in made)]
