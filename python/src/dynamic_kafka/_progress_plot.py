"""Draws the progress of a query. The only module that needs matplotlib."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import EngFormatter

from dynamic_kafka._progress_table import STATE_COLOURS
from dynamic_kafka._redaction import printable

if TYPE_CHECKING:
    from dynamic_kafka._progress import QueryProgress, TopologyChange

# More lines can't be distinguished by their colours: the others are drawn in grey.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_GREY = "#BBBBBB"
_CHANGES = 6
_ID_LENGTH, _CHANGE_LENGTH = 26, 120


class ProgressFigure(Figure):
    """A figure that a notebook shows, whatever its backend is."""

    def _repr_png_(self) -> bytes:
        image = io.BytesIO()
        self.savefig(image, format="png")
        return image.getvalue()


def drawn(progress: QueryProgress) -> Figure:
    """Three panels over one time axis: rate, backlog, states; below them the changes that are marked."""
    clusters = progress.clusters
    changes = _numbered_changes(progress)
    states, below = 0.35 + 0.2 * max(len(clusters), 2), 0.8 + 0.17 * len(changes)
    height = 4.6 + states + below
    figure = ProgressFigure(figsize=(11, height), dpi=100)
    if not progress.points:
        figure.text(0.5, 0.5, "There is no progress yet", ha="center")
        return figure
    grid = figure.add_gridspec(
        3,
        height_ratios=(2, 2, states),
        left=0.17,
        right=0.8,
        top=1 - 0.5 / height,
        bottom=below / height,
        hspace=0.12 * 5.5 / (4 + states) + 0.06,
    )
    rate, backlog, state = (figure.add_subplot(grid[row]) for row in range(3))
    _without_mathtext([figure.text(0.17, 1 - 0.3 / height, _title(progress), fontsize=12, fontweight="bold")])
    colours, names = _colours(progress), _names(clusters)
    _lines(rate, progress, colours, names, "recordsPerSecond", "records a second")
    _lines(backlog, progress, colours, names, "pendingRecords", "records not read")
    _states(state, progress, names)
    _time_axis((rate, backlog, state), progress, changes)
    for line, text in enumerate(_texts(changes)):
        at = (below - 0.55 - 0.17 * line) / height
        _without_mathtext([figure.text(0.17, at, text, fontsize=8, family="monospace", va="top")])
    return figure


def _lines(
    axes: Axes,
    progress: QueryProgress,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    figure: str,
    label: str,
) -> None:
    times = [_matplotlib_date(point.at) for point in progress.points]
    lines = {
        cluster: [_gap(point.figure(cluster, figure)) for point in progress.points] for cluster in progress.clusters
    }
    others = [cluster for cluster in lines if cluster not in colours]
    handles = []
    for cluster in [*others, *colours]:
        grey = cluster not in colours
        (line,) = axes.plot(
            times,
            lines[cluster],
            color=colours.get(cluster, _GREY),
            linewidth=0.8 if grey else 1.5,
            marker=_marker(times),
            label=f"{len(others)} others" if grey else names[cluster],
        )
        handles += [] if grey and cluster != others[0] else [line]
    axes.set_ylabel(label)
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(axis="y", color="#EEEEEE")
    _legend(axes, *handles)


def _legend(axes: Axes, *handles: Artist) -> None:
    """A legend at the right."""
    legend = axes.legend(
        handles,
        [str(handle.get_label()) for handle in handles],
        loc="upper left",
        bbox_to_anchor=(1.005, 1.02),
        fontsize=8,
        frameon=False,
    )
    _without_mathtext(legend.get_texts())


def _without_mathtext(texts: Iterable[Text]) -> None:
    """Shows dollar signs of a name as they are, not as mathematics."""
    for text in texts:
        text.set_parse_math(False)


def _colours(progress: QueryProgress) -> dict[str, str]:
    """The same in both panels. Of many clusters only some get one: those in trouble, then those with most to read."""

    def weight(cluster: str) -> tuple[float, ...]:
        points = progress.points
        trouble = sum(point.clusters.get(cluster, {}).get("state", "reading") != "reading" for point in points)
        backlog = max(point.figure(cluster, "pendingRecords") or 0 for point in points)
        rate = max(point.figure(cluster, "recordsPerSecond") or 0 for point in points)
        return -trouble, -backlog, -rate

    chosen = sorted(sorted(progress.clusters, key=weight)[: len(_COLOURS)])
    return dict(zip(chosen, _COLOURS, strict=False))


def _states(axes: Axes, progress: QueryProgress, names: Mapping[str, str]) -> None:
    """One bar a cluster, which changes its colour with the state, and has a gap where the cluster was not reported."""
    times = [point.at for point in progress.points]
    ends = [*times[1:], times[-1] + _last_duration(times)]
    for row, cluster in enumerate(progress.clusters):
        spans = zip(times, ends, progress.points, strict=True)
        for began, ended, point in spans:
            state = point.clusters.get(cluster, {}).get("state")
            if state:
                left, right = _matplotlib_date(began), _matplotlib_date(ended)
                axes.barh(row, right - left, left=left, height=0.75, color=STATE_COLOURS.get(state, "#000000"))
    axes.set_yticks(range(len(progress.clusters)), [names[cluster] for cluster in progress.clusters], fontsize=8)
    _without_mathtext(axes.get_yticklabels())
    axes.set_ylim(len(progress.clusters) - 0.4, -0.6)
    seen = {figures.get("state") for point in progress.points for figures in point.clusters.values()}
    shown = [Patch(color=colour, label=state) for state, colour in STATE_COLOURS.items() if state in seen]
    _legend(axes, *shown)


def _time_axis(panels: Sequence[Axes], progress: QueryProgress, changes: Sequence[tuple[int, TopologyChange]]) -> None:
    times = [point.at for point in progress.points]
    until = times[-1] + _last_duration(times)
    for axes in panels:
        axes.set_xlim(_matplotlib_date(times[0]), _matplotlib_date(until))
        locator = AutoDateLocator()  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
        axes.tick_params(labelbottom=axes is panels[-1])
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for number, change in changes:
            axes.axvline(_matplotlib_date(change.at), color="#444444", linewidth=0.9, linestyle=(0, (4, 3)))
            if axes is panels[0]:
                at = axes.get_xaxis_transform()  # by time, and by the height of the panel
                axes.text(
                    _matplotlib_date(change.at), 1.01, str(number), transform=at, fontsize=8, ha="center", va="bottom"
                )


def _title(progress: QueryProgress) -> str:
    first, last = progress.points[0].at, progress.points[-1].at
    return f"{printable(progress.name)}, {first:%Y-%m-%d %H:%M:%S} to {last:%H:%M:%S} UTC"


def _numbered_changes(progress: QueryProgress) -> list[tuple[int, TopologyChange]]:
    """The changes within the time that is drawn, numbered."""
    if not progress.points:
        return []
    within = [change for change in progress.changes if change.at >= progress.points[0].at]
    return list(enumerate(within, start=1))


def _texts(changes: Sequence[tuple[int, TopologyChange]]) -> list[str]:
    """The last changes, one line each."""
    texts = [f"{number}  {change.at:%H:%M:%S}  {printable(change.what)}" for number, change in changes[-_CHANGES:]]
    return [text if len(text) <= _CHANGE_LENGTH else f"{text[:_CHANGE_LENGTH]}…" for text in texts]


def _last_duration(times: Sequence[datetime]) -> timedelta:
    """How long the last progress event is drawn: as long as the one before."""
    return times[-1] - times[-2] if len(times) > 1 else timedelta(seconds=1)


def _matplotlib_date(at: datetime) -> float:
    """A time as matplotlib counts it."""
    return at.timestamp() / 86400


def _marker(times: Sequence[float]) -> str:
    return "o" if len(times) == 1 else ""


def _gap(value: float | None) -> float:
    return float("nan") if value is None else value


def _names(clusters: Sequence[str]) -> dict[str, str]:
    """How each id is shown where there is little room: its beginning, or both ends if others begin alike."""
    shown = {cluster: printable(cluster) for cluster in clusters}
    begins = Counter(text[: _ID_LENGTH - 1] for text in shown.values())
    half = _ID_LENGTH // 2
    return {
        cluster: text
        if len(text) <= _ID_LENGTH
        else f"{text[: _ID_LENGTH - 1]}…"
        if begins[text[: _ID_LENGTH - 1]] == 1
        else f"{text[: half - 1]}…{text[-half:]}"
        for cluster, text in shown.items()
    }
