"""How the driver's own work grows with clusters and partitions, measured by JMH on values alone."""

from collections.abc import Sequence
from typing import Any

from bench import jmh
from bench.console import say
from bench.effort import Effort
from bench.readings import Reading, Readings
from bench.sources import OURS

SUITE = "driver"
COLUMNS = "columns"
PLAN = "plan"
WRITE = "write the offset"
READ = "read the offset"
REMEMBER = "remember the trigger"
METRICS = "make the figures of an event"
TEXT = "text of the offset"
HELD = "memory of the offset"
ALLOCATED = "allocated to plan"
FIGURES = "figures of a progress event"
EVENT = "progress event, offsets included"
# What takes time, and what takes memory, in the order of the page.
STEPS = (PLAN, WRITE, READ, METRICS)
SIZES = (ALLOCATED, HELD, TEXT, FIGURES, EVENT)

# What else JMH reports for each step, by its names.
_MORE: dict[str, dict[str, str]] = {
    "plan": {"gc.alloc.rate.norm": ALLOCATED},
    "writeOffset": {"textBytes": TEXT, "heldBytes": HELD},
    "readOffset": {},
    "remember": {},
    "metrics": {"figureBytes": FIGURES, "eventBytes": EVENT},
}
_METHODS = {"plan": PLAN, "writeOffset": WRITE, "readOffset": READ, "remember": REMEMBER, "metrics": METRICS}
# More partitions of as many clusters, more clusters, and both.
_SIZES = "10x10,10x100,100x100,1000x10,1000x100"


def case(clusters: int, partitions: int) -> str:
    return f"{clusters} x {partitions}"


def run(effort: Effort, readings: Readings) -> None:
    """Adds JMH's results: seconds of the driver's steps, and nanoseconds of a column's value."""
    say("JMH measures the driver's steps ...")
    iterations = ["-wi", "2", "-i", "5"] if effort.whole else ["-wi", "2", "-i", "3"]
    sizes = _SIZES if effort.whole else "10x10,100x100,1000x100"
    options = [*iterations, "-w", "1s", "-r", "1s", "-p", f"size={sizes}", "-prof", "gc", "DriverSteps"]
    if effort.whole:
        options.append("ColumnValues")
    for reading in readings_of(jmh.run("jmh", options)):
        readings.add(reading)
        say(f"{reading.suite} | {reading.case} | {reading.metric}: {reading.median:.4g} {reading.unit}")


def readings_of(results: Sequence[dict[str, Any]]) -> list[Reading]:
    """The readings in the results of JMH."""
    return [reading for result in results for reading in _of(result)]


def _of(result: dict[str, Any]) -> list[Reading]:
    owner, method = jmh.benchmark(result)
    main = result["primaryMetric"]
    values = jmh.raw(main)
    if owner == "ColumnValues":
        return [Reading(COLUMNS, method, OURS, "value", main["scoreUnit"].removesuffix("/op"), values)]
    size = case(*map(int, result["params"]["size"].split("x")))
    more = _MORE[method]
    return [
        Reading(SUITE, size, OURS, _METHODS[method], "s", values),
        *(
            Reading(SUITE, size, OURS, name, "B", jmh.raw(result["secondaryMetrics"][key]))
            for key, name in more.items()
        ),
    ]
