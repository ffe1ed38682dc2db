"""What an engineer on call sees of one query in an incident: progress, log, command line, alerts and dashboard."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dynamic_kafka import DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster, eventually
from tests.monitoring.prometheus import Prometheus, dashboard_queries, quick_rules, running
from tests.readme import ROOT
from tests.scenarios.operating import Operator
from tests.scenarios.producing import write
from tests.scenarios.queries import SOON, Running
from tests.scenarios.session_log import SessionLog

# What was seen is kept there, one file for each incident.
SEEN = ROOT / "build" / "incidents"
# The rows of a progress event that say nothing of an incident.
_PLAIN = re.compile(r"PerSecond|OffsetsBehind|IdleTime|EmitEventTimeLag")
_CAUSES = "Why a cluster is not read as it should be, A"
_STATES = "Each cluster of each query, A"


class IncidentView:
    """Looks at one query in each place that there is.

    ``checkpoint`` and ``streams`` are what `lag` is given.
    """

    def __init__(self, prometheus: Prometheus, log: SessionLog, folder: Path, streams: Path) -> None:
        self._prometheus, self._log, self._folder, self._streams = prometheus, log, folder, streams
        self._query = self._checkpoint = ""
        self._running: Running | None = None
        # What `lag` must know of the query's options.
        self.options: list[str] = []

    @property
    def statuses(self) -> str:
        """For the option `statusPath`."""
        return str(self._folder / "statuses")

    def looks_at(self, query: Running) -> Running:
        """From now on at this one."""
        self._running, self._query, self._checkpoint = query, query.query.id, str(query.checkpoint)
        return query

    def starts_reading(
        self, operator: Operator, read: DynamicKafkaSourceBuilder, *clusters: KafkaCluster, partitions: int = 2
    ) -> tuple[Running, list[str]]:
        """Starts a query of a new topic on these clusters, and looks at it. It has read one record of each.

        The second value are these records.
        """
        operator.creates(*clusters, partitions=partitions)
        operator.lists(*clusters)
        running = self.looks_at(operator.starts(read))
        expected = [value for cluster in clusters for value in write(cluster, operator.topic, f"{cluster.name}1")]
        running.await_values(expected)
        return running, expected

    def progress(self) -> str:
        """The metrics that matter, one in a line."""
        metrics = self._running.metrics() if self._running else {}
        return "\n".join(f"{name} = {value}" for name, value in sorted(metrics.items()) if not _PLAIN.search(name))

    def warnings(self) -> str:
        """What the log warns of, for this query."""
        return "\n".join(self._log.lines(f"WARN .*(DYNAMIC_KAFKA|drain waits).* query={self._query}"))

    def status(self) -> str:
        return self.command("status", self.statuses)

    def lag(self) -> str:
        return self.command("lag", self._checkpoint, "--streams", str(self._streams), "--timeout", "4s", *self.options)

    def command(self, *arguments: str) -> str:
        """What a command of `dynamic-kafka` prints on 80 columns, and its exit code."""
        run = [sys.executable, "-m", "dynamic_kafka.cli", *arguments]
        ended = subprocess.run(
            run, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"}, cwd=self._folder
        )
        assert "Traceback" not in ended.stderr
        return f"{ended.stdout}{ended.stderr}exit code {ended.returncode}\n"

    def dashboard(self, panel: str) -> list[str]:
        """The rows of a panel that are about this query."""
        found = self._prometheus.query(dashboard_queries()[panel])
        rows = [
            sorted((name, text) for name, text in series.items() if name != "query") for series, _ in self._mine(found)
        ]
        return sorted(" ".join(f"{name}={text}" for name, text in row if not name.startswith("__")) for row in rows)

    def firing(self) -> list[str]:
        """The alerts that fire for this query, each with its cluster if it has one."""
        found = self._prometheus.query('ALERTS{alertstate="firing"}')
        return sorted(
            f"{one['alertname'].removeprefix('DynamicKafka')} {one.get('cluster', '')}".strip()
            for one, _ in self._mine(found)
        )

    def annotations(self, alert: str) -> dict[str, str]:
        """The annotations of an alert that fires, as who is on call reads them."""
        (found,) = (
            annotations
            for labels, annotations in self._prometheus.alerts()
            if (labels["alertname"], labels["query"]) == (f"DynamicKafka{alert}", self._query)
        )
        return found

    def fires(self, alert: str) -> None:
        eventually(f"{alert} fires", self.firing, until=lambda seen: alert in seen, within=SOON)

    def clears(self, alert: str) -> None:
        eventually(f"{alert} is over", self.firing, until=lambda seen: alert not in seen, within=SOON)

    def sees_nothing_wrong(self) -> None:
        # On a busy machine any cluster may be slow for a moment.
        eventually("all is well", self.status, until=lambda shown: "exit code 0" in shown, within=SOON)

    def sees(self, cause: str, *, dashboard: str | None = None, lag: str | None = None) -> None:
        """The cause is in each of them: in the metrics, a warning, `status`, `lag`, and the dashboard, where it may
        have another form."""
        eventually("the metrics have the cause", self.progress, until=lambda seen: cause in seen, within=SOON)
        eventually("a warning has the cause", self.warnings, until=lambda seen: cause in seen, within=SOON)
        eventually("the status has the cause", self.status, until=lambda seen: cause in _joined(seen), within=SOON)
        eventually(
            "the dashboard has the cause",
            lambda: self.dashboard(_CAUSES) + self.dashboard("Alerts, A"),
            until=lambda seen: (dashboard or cause) in " ".join(seen),
            within=SOON,
        )
        shown = self.lag()
        assert (lag or cause) in _joined(shown), shown

    def keeps(self, title: str, **more: str) -> None:
        """Writes down what is seen now, and what else was."""
        parts = {
            "progress": self.progress(),
            "log": self.warnings(),
            "status": self.status(),
            "lag": self.lag(),
            "dashboard, states": "\n".join(self.dashboard(_STATES)),
            "dashboard, causes": "\n".join(self.dashboard(_CAUSES)),
            "alerts": "\n".join(self.firing()),
        }
        self.writes_down(title, **parts, **more)

    def writes_down(self, title: str, **parts: str) -> None:
        SEEN.mkdir(parents=True, exist_ok=True)
        text = "".join(f"--- {name}\n{part.rstrip()}\n" for name, part in parts.items() if part)
        (SEEN / f"{title}.txt").write_text(text)

    def _mine(self, found: list[tuple[dict[str, str], float]]) -> list[tuple[dict[str, str], float]]:
        return [(series, value) for series, value in found if series.get("query") == self._query]


def _joined(text: str) -> str:
    """Without the breaks of lines, and with the whole names of conditions."""
    return re.sub(r"\[(?!DYNAMIC)([A-Z_]+)\]", r"[DYNAMIC_KAFKA_\1]", " ".join(text.split()))


@contextmanager
def incident_view(exported: str, log: SessionLog, folder: Path, streams: Path) -> Iterator[IncidentView]:
    """With a Prometheus whose alerts fire within seconds."""
    with running(folder, exported, rules=quick_rules(folder)) as prometheus:
        yield IncidentView(prometheus, log, folder, streams)
