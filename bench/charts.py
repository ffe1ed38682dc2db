"""Draws the run, and some goals of all runs, as pictures."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

from bench import history, throughput
from bench.readings import WALL, Reading, Readings

# The same readings give the same file. Letters stay letters, which takes a fifth of the bytes.
rcParams["svg.hashsalt"] = "bench"
rcParams["svg.fonttype"] = "none"


def save(readings: Readings, folder: Path) -> None:
    """Writes `throughput.svg`, if throughput was measured."""
    taken = [one for one in readings.of(throughput.BATCH) if one.metric == WALL]
    if taken:
        folder.mkdir(parents=True, exist_ok=True)
        _throughput(taken).savefig(folder / "throughput.svg", metadata={"Date": None})


def save_history(lines: Mapping[str, Sequence[tuple[datetime, float]]], folder: Path) -> None:
    """Writes `history.svg`: some goals in all runs."""
    runs = sorted({when for points in lines.values() for when, _ in points})
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    for case, points in lines.items():
        axes.plot([runs.index(when) for when, _ in points], [value for _, value in points], marker="o", label=case)
    axes.set_xticks(range(len(runs)), [f"{when:%Y-%m-%d}" for when in runs], rotation=30)
    axes.set_ylim(bottom=0)
    axes.set_title(f"{history.RATIO.capitalize()}, by the day of the run")
    figure.legend(loc="outside lower left")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "history.svg", metadata={"Date": None})


def _throughput(readings: Sequence[Reading]) -> Figure:
    """Seconds of each case: one bar for each contestant, with its spread."""
    cases = list(dict.fromkeys(one.case for one in readings))
    names = list(dict.fromkeys(one.contestant for one in readings))
    figure = Figure(figsize=(9, 1.2 + 0.6 * len(cases)), layout="constrained")
    axes = figure.subplots()
    for number, name in enumerate(names):
        mine = [one for one in readings if one.contestant == name]
        places = [cases.index(one.case) + 0.21 * (number - 1.5) for one in mine]
        medians = [one.median for one in mine]
        spreads = [[one.median - one.least for one in mine], [one.most - one.median for one in mine]]
        axes.barh(places, medians, height=0.2, xerr=spreads, label=name)
    axes.set_yticks(range(len(cases)), cases)
    axes.invert_yaxis()
    axes.set_xlabel("seconds; the lines reach from the fastest to the slowest repetition")
    axes.set_title("Reading all records of two clusters")
    axes.legend()
    return figure
