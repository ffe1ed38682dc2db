"""Spark's own Kafka source, as a union over clusters in a driver of its own."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.packages import jars_of
from tests.readme import ROOT, Program
from tests.scenarios.driver_process import Table

# The newest there is; it runs on the Spark of the tests.
_SOURCE = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
# Spark brings all else that it needs.
_NEEDED = ("spark-sql-kafka-", "spark-token-provider-kafka-", "kafka-clients-", "commons-pool2-")


def kafka_jars() -> str:
    """What Spark needs for its own Kafka source, as `--jars` takes it."""
    return ",".join(map(str, jars_of(_SOURCE, *_NEEDED)))


@dataclass(frozen=True)
class OneRead:
    """One `readStream` of the union; ``starting`` is its option `startingOffsets`."""

    address: str
    topic: str
    starting: str = "earliest"


class UnionQuery:
    """A query over several clusters, one read for each, into a table of ids."""

    def __init__(self, folder: Path, reads: Sequence[OneRead]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.checkpoint = folder / "checkpoint"
        self.table = Table(folder)
        self._folder = folder
        self._reads = [vars(read) for read in reads]

    def runs(self) -> Program:
        """Goes on until the end of the block, where it is killed."""
        return self._program("run")

    def finishes(self) -> None:
        """Reads what is there, ends its last batch, and ends."""
        with self._program("finish") as program:
            assert program.end(within=120) == 0, program.printed()[-4000:]

    def _program(self, how: str) -> Program:
        program = [
            sys.executable,
            "-m",
            "tests.scenarios.union_program",
            str(self._folder),
            json.dumps(self._reads),
            how,
        ]
        environment: Mapping[str, str] = {
            "PYSPARK_SUBMIT_ARGS": f"--jars {kafka_jars()} pyspark-shell",
            "PYTHONPATH": str(ROOT),
        }
        return Program(program, self._folder, environment)
