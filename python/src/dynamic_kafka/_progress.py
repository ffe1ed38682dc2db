"""What a query reports of its clusters, for a notebook: a table, and a plot of the last progress events."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Protocol

from dynamic_kafka._progress_table import ClusterProgress, html_table, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

# The parts of a metric's name; a cluster's id between them may hold dots.
_CLUSTER = "cluster."
_TEXTS = frozenset({"state", "cause", "lastDeferral"})


class ReportingQuery(Protocol):
    """A streaming query of any session, of Spark Connect too.

    >>> isinstance(query.recentProgress, list)
    True
    """

    @property
    def recentProgress(self) -> Sequence[Any]: ...  # noqa: N802 - Spark's own name


@dataclass(frozen=True)
class TopologyChange:
    """A change of the topology, as a progress event reports it.

    >>> [(one.at.second, one.what) for one in progress(query).changes]
    [(1, 'appeared=[us-1/orders]')]
    """

    at: datetime
    what: str


@dataclass(frozen=True)
class ProgressPoint:
    """What one progress event reports of the source: docs/reference/metrics.md has the names of the figures.

    >>> progress(query).points[-1].figure("us-1", "pendingRecords")
    40.0
    """

    at: datetime
    batch: int
    totals: Mapping[str, str]
    clusters: Mapping[str, Mapping[str, str]]
    change: TopologyChange | None

    def figure(self, cluster: str, name: str) -> float | None:
        """A figure of a cluster; none if it is not reported."""
        return _number(self.clusters.get(cluster, {}).get(name))


@dataclass(frozen=True, repr=False)
class QueryProgress:
    """The last progress events of one source of a query, as they were when this was made.

    A notebook shows it as a table of the clusters as they are now; ``print`` shows the same as text.

    >>> found = progress(query)
    >>> found.clusters
    ['eu-1', 'us-1']
    >>> [(row.cluster, row.state, row.pending) for row in found.rows()]
    [('us-1', 'unavailable', 40), ('eu-1', 'reading', 0)]
    """

    name: str
    points: Sequence[ProgressPoint] = field(repr=False)

    @property
    def clusters(self) -> list[str]:
        """The ids of all clusters that were reported."""
        return sorted({cluster for point in self.points for cluster in point.clusters})

    @property
    def changes(self) -> list[TopologyChange]:
        """The changes of the topology, in order. Of several between two events only the last is known."""
        found = dict.fromkeys(point.change for point in self.points if point.change)
        return sorted(found, key=lambda change: change.at)

    def rows(self) -> list[ClusterProgress]:
        """The clusters as they are now, those with a cause first, then by what is not read yet."""
        if not self.points:
            return []
        now = self.points[-1]
        rows = [_row(cluster, now) for cluster in now.clusters]
        return sorted(rows, key=lambda row: (not row.cause, -row.pending, row.cluster))

    def to_pandas(self) -> DataFrame:
        """Each figure of each cluster at each event: a row for each, by its time, batch and cluster.

        Figures have the names of docs/reference/metrics.md; times are UTC. It needs pandas: ``pip install pandas``.

        >>> progress(query).to_pandas()[["batch", "cluster", "state", "pendingRecords"]]
           batch cluster        state  pendingRecords
        0      7    eu-1      reading             0.0
        1      7    us-1  unavailable            40.0
        """
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("A data frame needs pandas: pip install pandas") from missing
        rows = [
            {"at": point.at, "batch": point.batch, "cluster": cluster, **_values(figures)}
            for point in self.points
            for cluster, figures in sorted(point.clusters.items())
        ]
        # Without a row there would be no columns.
        return pandas.DataFrame(rows, columns=None if rows else ["at", "batch", "cluster"])

    def plot(self) -> Figure:
        """Rate, backlog and state of each cluster over time, with the changes of the topology.

        It needs matplotlib: ``pip install 'dynamic-kafka-spark[plot]'``.
        """
        try:
            from dynamic_kafka._progress_plot import drawn
        except ImportError as missing:
            raise ImportError("A plot needs matplotlib: pip install 'dynamic-kafka-spark[plot]'") from missing
        return drawn(self)

    def heading(self) -> list[str]:
        """The query as a whole, in a few lines."""
        if not self.points:
            return [f"{self.name}: there is no progress yet"]
        now, changes = self.points[-1], self.changes
        pending = _number(now.totals.get("pendingRecords")) or 0
        rate = sum(row.rate or 0 for row in self.rows())
        trouble = sum(bool(row.cause) for row in self.rows())
        lines = [
            f"{self.name}, batch {now.batch}, {now.at:%Y-%m-%d %H:%M:%S} UTC",
            f"{len(now.clusters)} clusters, {trouble} with a cause; {pending:,.0f} records not read, "
            f"{rate:,.0f} read a second",
        ]
        error = now.totals.get("metadataLastError")
        lines += [f"metadata: {error}"] if error else []
        return lines + [f"last change {one.at:%H:%M:%S} UTC: {shorten(one.what, 240)}" for one in changes[-1:]]

    def __str__(self) -> str:
        return text_table(self.heading(), self.rows())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(self.heading(), self.rows())


def progress(query: ReportingQuery, *, source: int = 0) -> QueryProgress:
    """What a query reports of its clusters: by Spark's default, its last 100 progress events.

    ``source`` chooses among the sources of this kind if the query has several, in the order of the progress events.

    >>> print(progress(query))
    orders, batch 7, 2026-11-22 09:00:00 UTC
    2 clusters, 1 with a cause; 40 records not read, 5 read a second
    ...
    """
    events = [_event(one) for one in query.recentProgress]
    name = next((str(event.get("name") or event.get("id")) for event in reversed(events)), "The query")
    points = [_point(event, found) for event in events if (found := _metrics(event, source)) is not None]
    if events and not points:
        raise ValueError(f"{name} reports no source number {source} of the format dynamic-kafka")
    return QueryProgress(name, points)


def _event(one: Any) -> dict[str, Any]:
    return dict(one) if type(one) is dict else dict(json.loads(one.json))


def _metrics(event: Mapping[str, Any], source: int) -> dict[str, str] | None:
    ours = [it["metrics"] for it in event["sources"] if "kafkaClustersCount" in (it.get("metrics") or {})]
    return dict(ours[source]) if 0 <= source < len(ours) else None


def _point(event: Mapping[str, Any], metrics: Mapping[str, str]) -> ProgressPoint:
    clusters: dict[str, dict[str, str]] = {}
    for name, value in metrics.items():
        if name.startswith(_CLUSTER):
            cluster, _, figure = name.removeprefix(_CLUSTER).rpartition(".")
            clusters.setdefault(cluster, {})[figure] = value
    totals = {name: value for name, value in metrics.items() if not name.startswith(_CLUSTER)}
    return ProgressPoint(
        at=_time(event["timestamp"]),
        batch=int(event["batchId"]),
        totals=totals,
        clusters=clusters,
        change=_change(totals.get("lastTopologyChange")),
    )


def _change(text: str | None) -> TopologyChange | None:
    at, _, what = (text or "").partition(" ")
    return TopologyChange(_time(at), what) if what else None


def _time(text: str) -> datetime:
    """Spark and Java write up to nine digits after the second, Python 3.10 reads just six."""
    whole, _, rest = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{rest[:6]:0<6}+00:00")


def _row(cluster: str, now: ProgressPoint) -> ClusterProgress:
    figures = now.clusters[cluster]
    return ClusterProgress(
        cluster=cluster,
        state=figures.get("state", ""),
        pending=int(now.figure(cluster, "pendingRecords") or 0),
        rate=now.figure(cluster, "recordsPerSecond"),
        time_lag=_seconds(now.figure(cluster, "timeLag")),
        catch_up=now.figure(cluster, "secondsToCatchUp"),
        cause=figures.get("cause", ""),
    )


def _values(figures: Mapping[str, str]) -> dict[str, str | float]:
    return {name: text if name in _TEXTS else float(text) for name, text in figures.items()}


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
