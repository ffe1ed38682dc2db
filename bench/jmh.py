"""Runs JMH, which measures code that needs no Spark session."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.folders import FOLDER, ROOT

_PACKAGE = "io.github.dynamickafka.spark.bench"


def run(name: str, options: Sequence[str]) -> list[dict[str, Any]]:
    """JMH's own results, one for each benchmark and set of parameters. Its report and its log have the name
    ``name``."""
    found, log = FOLDER / f"{name}.json", FOLDER / f"{name}.log"
    found.unlink(missing_ok=True)
    command = f"bench/Jmh/run -rf json -rff {found} -f 1 -foe true {' '.join(options)}"
    with log.open("w") as sink:
        code = subprocess.run([sys.executable, "project/sbt", command], cwd=ROOT, stdout=sink, check=False).returncode
    if code or not found.exists():
        raise RuntimeError(f"JMH ended with {code}. See {log}.")
    return report(found)


def report(path: Path) -> list[dict[str, Any]]:
    """The results in a report of JMH."""
    return list(json.loads(path.read_text()))


def benchmark(result: dict[str, Any]) -> tuple[str, str]:
    """The class and method of a result."""
    owner, method = str(result["benchmark"]).removeprefix(f"{_PACKAGE}.").split(".")
    return owner, method


def raw(metric: dict[str, Any]) -> tuple[float, ...]:
    """The value of each iteration."""
    return tuple(float(value) for fork in metric["rawData"] for value in fork)
