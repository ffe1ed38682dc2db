"""The run as a picture: what was read from each cluster, what was still waiting, and when the topology changed."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import RcParams, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from demo.history import Event, History

# Without a background, and in colours that stand out from a white page and from a nearly black one.
_INK = "#707a86"
_LINES = ("#c9741f", "#3b82f6")
# Letters stay letters, which takes a fifth of the bytes; the same run gives the same file.
_STYLE = RcParams(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "demo",
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), _INK),
        "font.size": 9,
    }
)


def save_chart(history: History, clusters: Sequence[str], path: Path) -> None:
    """Writes an SVG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with rc_context(_STYLE):
        figure = _drawn(history, clusters)
        figure.savefig(path, transparent=True, metadata={"Date": None})


def _drawn(history: History, clusters: Sequence[str]) -> Figure:
    figure = Figure(figsize=(8, 3.8), layout="constrained")
    rates, waiting = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    times = [batch.at for batch in history.batches]
    for cluster, colour in zip(clusters, _LINES, strict=True):
        rates.step(times, history.rates(cluster), where="pre", label=cluster, color=colour)
        left = [batch.waiting.get(cluster, 0) for batch in history.batches]
        waiting.step(times, left, where="post", color=colour)
    rates.set_ylabel("read per second")
    waiting.set_ylabel("waiting")
    waiting.set_xlabel("seconds since the demo began; the query was never restarted")
    for axes in (rates, waiting):
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        for event in _changes(history):
            axes.axvline(event.at, color=_INK, linestyle="--", linewidth=1)
    _name_changes(rates, history)
    rates.legend(loc="upper right", frameon=False)
    return figure


def _changes(history: History) -> list[Event]:
    return [event for event in history.events if event.marks_topology]


def _name_changes(axes: Axes, history: History) -> None:
    for event in _changes(history):
        # On two lines: changes may be close to each other.
        axes.annotate(event.text.replace(" on ", " on\n"), (event.at, 1.03), xycoords=("data", "axes fraction"))
