"""Runs the benchmarks: ``python -m bench [quick] [SUITE...]``. Suites are ``throughput``, ``jobs``, ``hour``,
``triggers``, ``wide``, ``slow``, ``distance``, ``reaction``, ``weights``, ``fleet``, ``driver``, ``slots``, ``sick``
and ``realtime``; by default all of them run. Only a whole run that is not quick writes the page, and leaves a file of
its goals. ``BENCH_AGAINST`` names another jar, with which ``sick`` compares ours."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tests.cluster import KafkaClusters, ServerSettings

from bench import (
    charts,
    distance,
    driver_scale,
    fleet,
    history,
    hour,
    jobs,
    page,
    reaction,
    real_time,
    scripted,
    sick,
    slots,
    slow_cluster,
    small_batches,
    throughput,
    weights,
    wide,
)
from bench.console import say
from bench.effort import FULL, QUICK, Effort
from bench.engine import Engine
from bench.folders import FOLDER, HISTORY, PAGE, PICTURES, WORK
from bench.goals import goals
from bench.machine import Machine, describe
from bench.readings import Readings
from bench.tables import report

# More than tests need: brokers should not limit readers.
_BROKERS = ServerSettings(java_options=("-Xmx768m",))
_WITH_ENGINE = ("throughput", "jobs", "hour", "triggers", "wide", "slow", "distance", "reaction", "weights", "fleet")
_NAMES = (*_WITH_ENGINE, "driver", "slots", "sick", "realtime")


def main() -> None:
    effort = QUICK if "quick" in sys.argv[1:] else FULL
    chosen = [argument for argument in sys.argv[1:] if argument != "quick"]
    unknown = set(chosen) - set(_NAMES)
    if unknown:
        raise SystemExit(f"There is no suite {', '.join(sorted(unknown))}; there are {', '.join(_NAMES)}.")
    readings = Readings()
    machine = measure(effort, readings, chosen or _NAMES)
    say(f"Done. All values: {FOLDER / 'readings.json'}")
    outcomes = [*(goal.outcome(readings) for goal in goals(throughput.middle(effort))), scripted.outcome()]
    text = report(machine, outcomes, readings)
    (FOLDER / "report.md").write_text(f"{text}\n")
    print(text)
    if effort.whole and not chosen:
        page.put(PAGE, text)
        charts.save(readings, PICTURES)
        history.save(machine, effort, outcomes, HISTORY)
        charts.save_history(history.lines(HISTORY), PICTURES)
    else:
        charts.save(readings, FOLDER)


def measure(effort: Effort, readings: Readings, chosen: Sequence[str]) -> Machine:
    """Runs these suites, and returns the machine. Readings are saved even if a later suite fails."""
    shutil.rmtree(WORK, ignore_errors=True)
    engine = Engine()
    machine = describe(engine)
    try:
        with KafkaClusters(FOLDER / "clusters") as clusters:
            say("Starting two brokers ...")
            pair = clusters.start("a", "b", settings=_BROKERS)
            suites: Mapping[str, Callable[[], None]] = {
                "throughput": lambda: throughput.run(engine, pair, effort, readings),
                "jobs": lambda: jobs.run(engine, pair, effort, readings),
                "hour": lambda: hour.run(engine, pair[0], effort, readings),
                "triggers": lambda: small_batches.run(engine, pair, effort, readings),
                "wide": lambda: wide.run(engine, pair, effort, readings),
                "slow": lambda: slow_cluster.run(engine, pair, effort, readings),
                "distance": lambda: distance.run(engine, _BROKERS, effort, readings),
                "reaction": lambda: reaction.run(engine, pair, effort, readings),
                "weights": lambda: weights.run(engine, pair[0], readings),
                "fleet": lambda: fleet.run(engine, readings),
            }
            _run(suites, chosen)
    finally:
        engine.stop()
        shutil.rmtree(WORK, ignore_errors=True)
        readings.save(FOLDER / "readings.json")
    # Without Spark and brokers at the same time.
    _run({"driver": lambda: driver_scale.run(effort, readings)}, chosen)
    readings.save(FOLDER / "readings.json")
    # With its own brokers and executors, or readers.
    _run({"slots": lambda: slots.run(readings)}, chosen)
    readings.save(FOLDER / "readings.json")
    for name, suite in (("sick", sick), ("realtime", real_time)):
        _run({name: partial(suite.run, effort, readings)}, chosen)
        readings.save(FOLDER / "readings.json")
    return machine


def _run(suites: Mapping[str, Callable[[], None]], chosen: Sequence[str]) -> None:
    for name, suite in suites.items():
        if name in chosen:
            say(f"Suite {name} ...")
            suite()


if __name__ == "__main__":
    main()
