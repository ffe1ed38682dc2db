"""Draws the run as pictures."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from bench import driver_scale, small_batches, throughput
from bench.readings import WALL, Reading, Readings
from bench.triggers import TRIGGER

# The same readings give the same file. Letters stay letters, which takes a fifth of the bytes.
rcParams["svg.hashsalt"] = "bench"
rcParams["svg.fonttype"] = "none"


def save(readings: Readings, folder: Path) -> list[Path]:
    """Writes one SVG for each suite that was run, and returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        "throughput.svg": _throughput([one for one in readings.of(throughput.BATCH) if one.metric == WALL]),
        "triggers.svg": _triggers([one for one in readings.of(small_batches.SUITE) if one.metric == TRIGGER]),
        "driver.svg": _driver(readings.of(driver_scale.SUITE)),
    }
    paths = []
    for name, figure in drawn.items():
        if figure is not None:
            figure.savefig(folder / name, metadata={"Date": None})
            paths.append(folder / name)
    return paths


def _throughput(readings: Sequence[Reading]) -> Figure | None:
    """Seconds of each case: one bar for each contestant, with its spread."""
    if not readings:
        return None
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


def _triggers(readings: Sequence[Reading]) -> Figure | None:
    if not readings:
        return None
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name in dict.fromkeys(one.contestant for one in readings):
        mine = [one for one in readings if one.contestant == name]
        axes.plot([_clusters(one) for one in mine], [one.median for one in mine], marker="o", label=name)
    _log_log(axes, "clusters, 4 partitions each", "seconds of one trigger", "One trigger with a trickle of records")
    return figure


def _driver(readings: Sequence[Reading]) -> Figure | None:
    if not readings:
        return None
    figure = Figure(figsize=(11, 4.5), layout="constrained")
    times, sizes = figure.subplots(1, 2)
    _curves(times, readings, driver_scale.STEPS, 1)
    _log_log(times, "partitions of all clusters", "seconds", "The driver's own work for one batch")
    _curves(sizes, readings, driver_scale.SIZES, 2**20)
    _log_log(sizes, "partitions of all clusters", "MiB", "What it takes, holds and writes")
    return figure


def _curves(axes: Axes, readings: Sequence[Reading], metrics: Sequence[str], unit: float) -> None:
    """One curve for each metric. The dashed line starts at the first one's least case and rises like the partitions."""
    for metric in metrics:
        mine = sorted((_partitions(one), one.median / unit) for one in readings if one.metric == metric)
        (line,) = axes.plot([count for count, _ in mine], [value for _, value in mine], marker="o", label=metric)
        if metric == metrics[0] and mine:
            (least, value), (most, _) = mine[0], mine[-1]
            axes.plot(
                [least, most], [value, value * most / least], "--", color=line.get_color(), alpha=0.5, label="linear"
            )


def _log_log(axes: Axes, across: str, up: str, title: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
    axes.minorticks_off()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(title)
    axes.grid(visible=True, alpha=0.3)
    axes.legend()


def _plain(value: float) -> str:
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def _clusters(reading: Reading) -> int:
    return int(reading.case.split(" x ")[0])


def _partitions(reading: Reading) -> int:
    clusters, each = map(int, reading.case.split(" x "))
    return clusters * each
