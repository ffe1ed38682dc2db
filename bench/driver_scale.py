"""How the driver's own work grows with clusters and partitions, by JMH and with values alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.console import say
from bench.effort import Effort
from bench.folders import FOLDER, ROOT
from bench.readings import Reading, Readings
from bench.sources import OURS

SUITE = "driver"
COLUMNS = "columns"
PLAN = "plan"
WRITE = "write the offset"
READ = "read the offset"
METRICS = "make the figures of an event"
TEXT = "text of the offset"
HELD = "memory of the offset"
ALLOCATED = "allocated to plan"
FIGURES = "figures of a progress event"
EVENT = "progress event, offsets included"
# What takes time, and what takes room, in the order in which pages tell them.
STEPS = (PLAN, WRITE, READ, METRICS)
SIZES = (ALLOCATED, HELD, TEXT, FIGURES, EVENT)

_PACKAGE = "io.github.dynamickafka.spark.bench"
# What else JMH tells of each step, by its names.
_MORE: dict[str, dict[str, str]] = {
    "plan": {"gc.alloc.rate.norm": ALLOCATED},
    "writeOffset": {"textBytes": TEXT, "heldBytes": HELD},
    "readOffset": {},
    "metrics": {"figureBytes": FIGURES, "eventBytes": EVENT},
}
_METHODS = {"plan": PLAN, "writeOffset": WRITE, "readOffset": READ, "metrics": METRICS}
# More partitions of as many clusters, more clusters, and both.
_SIZES = "10x10,10x100,100x100,1000x10,1000x100"


def case(clusters: int, partitions: int) -> str:
    return f"{clusters} x {partitions}"


def run(effort: Effort, readings: Readings) -> None:
    """Adds what JMH measured: seconds of the driver's steps, and nanoseconds of a column's value."""
    found = FOLDER / "jmh.json"
    found.unlink(missing_ok=True)
    say("JMH measures the driver's steps ...")
    iterations = ["-wi", "2", "-i", "5"] if effort.whole else ["-wi", "2", "-i", "3"]
    sizes = _SIZES if effort.whole else "10x10,100x100,1000x100"
    options = ["-f", "1", "-foe", "true", *iterations, "-w", "1s", "-r", "1s", "-p", f"size={sizes}", "-prof", "gc"]
    if not effort.whole:
        options.append("DriverSteps")
    command = f"bench/Jmh/run -rf json -rff {found} {' '.join(options)}"
    log = FOLDER / "jmh.log"
    with log.open("w") as sink:
        code = subprocess.run([sys.executable, "project/sbt", command], cwd=ROOT, stdout=sink, check=False).returncode
    if code or not found.exists():
        raise RuntimeError(f"JMH ended with {code}. See {log}.")
    for reading in readings_of(found):
        readings.add(reading)
        say(f"{reading.suite} | {reading.case} | {reading.metric}: {reading.median:.4g} {reading.unit}")


def readings_of(path: Path) -> list[Reading]:
    """The readings in a report of JMH's."""
    return [reading for result in json.loads(path.read_text()) for reading in _of(result)]


def _of(result: dict[str, Any]) -> list[Reading]:
    owner, method = result["benchmark"].removeprefix(f"{_PACKAGE}.").split(".")
    main = result["primaryMetric"]
    values = tuple(value for fork in main["rawData"] for value in fork)
    if owner == "ColumnValues":
        return [Reading(COLUMNS, method, OURS, "value", main["scoreUnit"].removesuffix("/op"), values)]
    size = case(*map(int, result["params"]["size"].split("x")))
    more = _MORE[method]
    return [
        Reading(SUITE, size, OURS, _METHODS[method], "s", values),
        *(Reading(SUITE, size, OURS, name, "B", _raw(result["secondaryMetrics"][key])) for key, name in more.items()),
    ]


def _raw(metric: dict[str, Any]) -> tuple[float, ...]:
    return tuple(float(value) for fork in metric["rawData"] for value in fork)
