"""Draws the run as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

from bench import throughput
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
