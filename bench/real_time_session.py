"""Queries in Real-Time Mode in another process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import psutil
from dynamic_kafka._jar import jar_path

from bench.real_time_program import Live
from bench.sources import Listed


class LiveSession:
    """Starts Spark with so many slots, and ends it when it is closed. ``folder`` is only for this one. ``pyspark`` has
    the packages of another version of Spark."""

    def __init__(self, folder: Path, slots: int, pyspark: Path | None = None) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._folder = folder
        command = [sys.executable, "-m", "bench.real_time_program", str(jar_path()), str(folder), str(slots)]
        packages = [str(pyspark)] if pyspark else []
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*packages, os.environ.get("PYTHONPATH", "")])}
        with (folder / "printed.txt").open("w") as printed:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=printed, text=True, env=environment
            )

    def __enter__(self) -> "LiveSession":
        return self

    def __exit__(self, *_: object) -> None:
        children = psutil.Process(self._process.pid).children(recursive=True)
        if self._process.stdin is not None:
            self._process.stdin.close()  # it ends at the end of its input
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            for child in children:
                child.kill()

    def start(self, live: Live) -> None:
        self._ask({"start": asdict(live)})

    def list(self, listed: Sequence[Listed]) -> None:
        """What the metadata service says from now on."""
        self._ask({"list": [astuple(one) for one in listed]})

    def requests(self) -> dict[str, float]:
        """How many requests each of the session's Kafka clients with a reporter for JMX has sent so far."""
        return dict(self._ask({"requests": 0}))

    def cpu_seconds(self) -> float:
        """Of Spark's JVM so far."""
        used = [child.cpu_times() for child in psutil.Process(self._process.pid).children(recursive=True)]
        return float(sum(one.user + one.system for one in used))

    def stop(self) -> None:
        """Raises ``RuntimeError`` if the query failed."""
        self._ask({"stop": 0})

    def _ask(self, order: dict[str, Any]) -> Any:
        orders, answers = self._process.stdin, self._process.stdout
        if orders is None or answers is None:
            raise RuntimeError("The session has no pipes.")
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        line = answers.readline()
        if not line:
            raise RuntimeError(f"The session has ended; see {self._folder}.")
        answer = json.loads(line)
        if "failed" in answer:
            raise RuntimeError(f"{next(iter(order))}: {answer['failed']}; see {self._folder}.")
        return answer["answer"]
