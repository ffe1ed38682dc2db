"""Runs contestants in turn, so that other load of the machine affects all of them equally."""

import time
from collections.abc import Callable, Mapping

from bench.console import say
from bench.engine import Engine
from bench.readings import CPU, WALL, Reading, Readings

Check = Callable[[], None]
# What it returns is called afterwards, and is not measured.
Contestant = Callable[[], Check | None]


def alternate(
    engine: Engine,
    readings: Readings,
    suite: str,
    case: str,
    contestants: Mapping[str, Contestant],
    repetitions: Callable[[str], int],
) -> None:
    """Runs each contestant once to warm up, then all of them in turn, each as often as its ``repetitions``. Adds wall
    and CPU seconds of each to ``readings``."""
    for contestant in contestants.values():
        _check(contestant())
    wall: dict[str, list[float]] = {name: [] for name in contestants}
    cpu: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(max(map(repetitions, contestants))):
        for name, contestant in contestants.items():
            if number >= repetitions(name):
                continue
            engine.collect_garbage()
            cpu_before, before = engine.cpu_seconds(), time.perf_counter()
            check = contestant()
            wall[name].append(time.perf_counter() - before)
            cpu[name].append(engine.cpu_seconds() - cpu_before)
            _check(check)
    for name in contestants:
        taken = Reading(suite, case, name, WALL, "s", tuple(wall[name]))
        used = Reading(suite, case, name, CPU, "s", tuple(cpu[name]))
        readings.add(taken)
        readings.add(used)
        between = f"{taken.least:.2f} to {taken.most:.2f}"
        say(f"{suite} | {case} | {name}: {taken.median:.2f} s ({between}), cpu {used.median:.2f} s")


def _check(check: Check | None) -> None:
    if check is not None:
        check()
