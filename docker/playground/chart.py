"""The run as a picture: what was read from each cluster, what was still waiting, and when the topology changed."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from playground.history import Event, History


def save_chart(history: History, clusters: Sequence[str], path: Path) -> None:
    """Writes a PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    rates, waiting = figure.subplots(2, 1, sharex=True)
    times = [batch.at for batch in history.batches]
    for cluster in clusters:
        rates.step(times, history.rates(cluster), where="pre", label=cluster)
        waiting.step(times, [batch.waiting.get(cluster, 0) for batch in history.batches], where="post", label=cluster)
    rates.set_title("One query, never restarted, while its stream moves from one Kafka cluster to another", pad=20)
    rates.set_ylabel("orders read per second")
    waiting.set_ylabel("orders waiting")
    waiting.set_xlabel("seconds since the demo began")
    for axes in (rates, waiting):
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, alpha=0.3)
        for event in _changes(history):
            axes.axvline(event.at, color="black", linestyle="--", linewidth=1)
    _name_changes(rates, history)
    rates.legend(loc="upper right")
    figure.savefig(path, dpi=120)


def _changes(history: History) -> list[Event]:
    return [event for event in history.events if event.marks_topology]


def _name_changes(axes: Axes, history: History) -> None:
    for event in _changes(history):
        axes.annotate(event.text, (event.at, 1.01), xycoords=("data", "axes fraction"), fontsize=8)
