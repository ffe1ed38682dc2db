"""Runs the benchmarks: ``python -m bench [quick]``."""

import shutil
import sys

from tests.cluster import KafkaClusters, ServerSettings

from bench import small_batches, throughput
from bench.console import say
from bench.effort import FULL, QUICK, Effort
from bench.engine import Engine
from bench.folders import FOLDER, WORK
from bench.readings import Readings

# More room than tests need: brokers should not be what limits readers.
_BROKERS = ServerSettings(java_options=("-Xmx768m",))


def main() -> None:
    effort = QUICK if "quick" in sys.argv[1:] else FULL
    only = [argument for argument in sys.argv[1:] if argument != "quick"]
    shutil.rmtree(WORK, ignore_errors=True)
    readings = Readings()
    engine = Engine()
    try:
        with KafkaClusters(FOLDER / "clusters") as clusters:
            measure(engine, clusters, effort, readings, only)
    finally:
        engine.stop()
        shutil.rmtree(WORK, ignore_errors=True)
        readings.save(FOLDER / "readings.json")


def measure(engine: Engine, clusters: KafkaClusters, effort: Effort, readings: Readings, only: list[str]) -> None:
    say("Starting two brokers ...")
    pair = clusters.start("a", "b", settings=_BROKERS)
    suites = {"throughput": throughput.run, "triggers": small_batches.run}
    for name, suite in suites.items():
        if not only or name in only:
            suite(engine, pair, effort, readings)


if __name__ == "__main__":
    main()
