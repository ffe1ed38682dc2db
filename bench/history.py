"""What stays of each whole run: a small file of its goals, on what they were measured and how."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from bench import distance, distance_cold, jobs, sinks
from bench.effort import Effort
from bench.goals import Outcome
from bench.machine import Machine
from bench.sources import TUNING, UNION

_DATE = "%Y-%m-%d %H:%M UTC"
# What the goals of the picture are about. All of them are the same ratio, and their texts end alike.
SHOWN = (
    f"throughput, {sinks.SUM}",
    jobs.JSON,
    "one trigger, 32 x 4",
    f"{distance.case(distance.ROUND_TRIPS[-1])}, batch",
    f"{distance_cold.CASE}, {distance_cold.FIRST}",
)
RATIO = f"time of the {UNION} to ours"


def save(machine: Machine, effort: Effort, outcomes: Iterable[Outcome], folder: Path) -> Path:
    """Writes the goals that were measured into a file that is named by the date of the run."""
    facts = dict(machine.facts)
    goals = {one.text: {"wanted": one.bound, **_values(one)} for one in outcomes if one.value is not None}
    run = {"machine": facts, "settings": asdict(effort) | {UNION: TUNING}, "goals": goals}
    path = folder / f"{datetime.strptime(facts['date'], _DATE):%Y-%m-%d-%H%M}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run, indent=1) + "\n")
    return path


def lines(folder: Path) -> dict[str, list[tuple[datetime, float]]]:
    """Of each of ``SHOWN`` that was ever measured, the ratios of all runs, the first run first."""
    found: dict[str, list[tuple[datetime, float]]] = {}
    for path in sorted(folder.glob("*.json")):
        run = json.loads(path.read_text())
        when = datetime.strptime(run["machine"]["date"], _DATE)
        for case in SHOWN:
            goal = run["goals"].get(f"{case}: {RATIO}")
            if goal is not None:
                found.setdefault(case, []).append((when, goal["measured"]))
    return found


def _values(outcome: Outcome) -> dict[str, float]:
    values = {"measured": outcome.value, "least": outcome.least, "most": outcome.most}
    return {name: float(f"{value:.4g}") for name, value in values.items() if value is not None}
