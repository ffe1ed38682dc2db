"""The monitoring plugin: what a real Prometheus gets from the JMX exporter, and what Spark's sinks show, while clusters
come and go and queries end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSource
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.cluster import KafkaCluster, eventually
from tests.monitoring.prometheus import (
    Prometheus,
    alert_rules,
    dashboard_queries,
    escaped,
    get,
    lint,
    metrics_in,
    running,
)
from tests.scenarios.conftest import Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import SOON
from tests.scenarios.scene import Scene

# Retention would have to delete records twice: `test_progress.py` has it. A batch would have to give records back:
# `test_incidents.py` has it.
NOT_SHOWN = {"dynamic_kafka_cluster_time_to_retention_seconds", "dynamic_kafka_cluster_deferred_records"}


@pytest.fixture
def page(spark: SparkSession) -> str:
    """The address of Spark's UI."""
    return str(spark.sparkContext.uiWebUrl).removeprefix("http://")


class Watched:
    """A query that runs, as Prometheus sees it."""

    def __init__(self, prometheus: Prometheus, query: StreamingQuery, name: str) -> None:
        self.prometheus, self.query, self.name = prometheus, query, name

    def by_cluster(self, metric: str, label: str = "") -> dict[str, str | float]:
        """The value of a metric of each cluster, or a label of it."""
        failure = self.query.exception()
        assert failure is None, failure
        found = self.prometheus.query(
            f'dynamic_kafka_cluster_{metric}{{application="scenarios",query="{self.name}",source="0"}}'
        )
        return {series["cluster"]: series[label] if label else value for series, value in found}

    def await_all(self, metric: str, expected: dict[str, str], label: str) -> None:
        eventually(
            f"{metric} is {expected}",
            lambda: self.by_cluster(metric, label),
            until=lambda seen: seen == expected,
            within=SOON,
        )

    def empty_panels(self) -> set[str]:
        """The panels of the dashboard that have nothing to show, by their titles up to a comma."""
        queries = dashboard_queries().items()
        return {panel.partition(",")[0] for panel, query in queries if not self.prometheus.query(query)}

    def await_values(self, metric: str, expected: dict[str, float]) -> None:
        eventually(
            f"{metric} is {expected}",
            lambda: self.by_cluster(metric),
            until=lambda seen: seen == expected,
            within=SOON,
        )

    def value(self, metric: str) -> float:
        """Of a metric of the query itself."""
        found = self.prometheus.query(f'dynamic_kafka_query_{metric}{{query="{self.name}"}}')
        assert len(found) == 1, f"{metric}: {found}"
        return found[0][1]

    def is_behind_once_written(self, cluster: KafkaCluster, topic: str) -> bool:
        """Whether the watermark is a minute old. A batch reports the watermark of the batches before it, so each look
        writes a record."""
        write(cluster, topic, "later")
        return self.value("watermark_lag_seconds") >= 60

    def names(self) -> set[str]:
        """Of all metrics in the last scrape."""
        return {series["__name__"] for series, _ in self.prometheus.query('{__name__=~"dynamic_kafka_.*"}')}

    def await_pending(self, alert: str, cluster: str) -> None:
        """Waits until an alert has begun to count, for this cluster."""
        expression = f'ALERTS{{alertname="{alert}",query="{self.name}",cluster="{cluster}",alertstate="pending"}}'
        eventually(f"{alert} is pending", lambda: self.prometheus.query(expression), within=SOON)

    def lines(self, page: str) -> list[str]:
        """What Spark's UI shows of the query."""
        shown = get(f"http://{page}/metrics/prometheus").splitlines()
        return [line for line in shown if f"_query_{escaped(self.name)}_" in line]


@pytest.fixture
def watched(
    scene: Scene, a: KafkaCluster, b: KafkaCluster, topic: str, tmp_path: Path, exported: str
) -> Iterator[Watched]:
    """A query with a watermark over `eu-1` and `us_east`."""
    scene.publish("orders", {"eu-1": on(a, topic), "us_east": on(b, topic)})
    name = f"orders (v2) of {topic}"
    read = scene.read("orders").unavailable_cluster_policy("skip").cluster_request_timeout("3s").load()
    writer = read.withWatermark("timestamp", "1 minute").writeStream.queryName(name).format("noop")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(
        processingTime="200 milliseconds"
    )
    query = writer.start()
    try:
        with running(tmp_path, exported) as prometheus:
            yield Watched(prometheus, query, name)
    finally:
        query.stop()


def used_by_dashboard_and_alerts() -> set[str]:
    return metrics_in([*dashboard_queries().values(), *(rule["expr"] for rule in alert_rules())])


def test_each_gauge_is_there_as_long_as_its_cluster_and_its_query(
    watched: Watched, program: ProgramListing, a: KafkaCluster, b: KafkaCluster, topic: str, exported: str, page: str
) -> None:
    write(a, topic, "a1")
    write(b, topic, "b1")
    watched.await_all("state", {"eu-1": "reading", "us_east": "reading"}, "state")
    eventually("the watermark is behind", lambda: watched.is_behind_once_written(a, topic), within=SOON)
    watched.await_values("pending_records", {"eu-1": 0, "us_east": 0})
    # Nothing comes any more: an idle query still says that a cluster is silent.
    b.pause()
    watched.await_all("state", {"eu-1": "reading", "us_east": "unavailable"}, "state")
    watched.await_all("cause", {"us_east": "CLUSTER_UNREACHABLE"}, "cause")
    watched.await_pending("DynamicKafkaClusterUnavailable", "us_east")
    b.resume()
    watched.await_all("state", {"eu-1": "reading", "us_east": "reading"}, "state")
    program.publish("orders", {"eu-1": on(a, topic, f"{topic}-missing"), "us_east": on(b, topic)})
    watched.await_all("cause", {"eu-1": "TOPIC_NOT_FOUND"}, "cause")
    watched.await_pending("DynamicKafkaTopicsSkipped", "eu-1")
    assert watched.prometheus.rule_errors() == []
    eventually("no cluster is out of reach", lambda: watched.value("unavailable_clusters") == 0, within=SOON)
    used = used_by_dashboard_and_alerts()
    eventually("each metric in use is scraped", lambda: used - watched.names() == NOT_SHOWN, within=SOON)
    assert lint(exported) == ""
    # On a busy machine a scrape may be late: for that moment no panel has anything.
    eventually(
        "each panel shows something",
        watched.empty_panels,
        until=lambda empty: empty <= {"Each cluster of each query", "Alerts"},
        within=SOON,
    )
    program.publish("orders", {"eu-1": on(a, topic)})
    watched.await_all("state", {"eu-1": "reading"}, "state")
    eventually("the page has no gone cluster", lambda: "us_5feast" not in "".join(watched.lines(page)), within=SOON)
    watched.await_values("pending_records", {"eu-1": 0})
    watched.query.stop()
    assert watched.lines(page) == []
    everything = f'{{query="{watched.name}"}}'
    eventually(
        "nothing is left", lambda: watched.prometheus.query(everything), until=lambda seen: not seen, within=SOON
    )


def test_a_later_session_is_seen_and_queries_of_one_name_are_told_apart(
    spark: SparkSession,
    program: ProgramListing,
    a: KafkaCluster,
    topic: str,
    page: str,
    tmp_path: Path,
    fresh_name: Name,
) -> None:
    program.publish("orders", {"eu-1": ClusterMetadata([topic], a.properties())})
    name = fresh_name("same")

    def start(session: SparkSession, checkpoint: str) -> StreamingQuery:
        read = DynamicKafkaSource.builder(session).metadata_service(program.service).stream_ids("orders").load()
        writer = read.writeStream.queryName(name).format("noop")
        return writer.option("checkpointLocation", str(tmp_path / checkpoint)).start()

    def shown(label: str) -> bool:
        return f"_query_{escaped(label)}_source_0_cluster_eu_2d1_state_" in get(f"http://{page}/metrics/prometheus")

    queries = []
    try:
        queries.append(start(spark, "first"))
        eventually("the first query is shown", lambda: shown(name), within=SOON)
        queries.append(start(spark.newSession(), "second"))
        both = f"{name} {queries[1].id}"
        eventually("the second query is shown", lambda: shown(both), within=SOON)
        assert shown(name)
        beans = f"metrics:name=*.MonitoringPlugin.query.{escaped(name)}.*,*"
        assert [one for one in DriverJvm(spark).beans(beans) if "cluster.eu_2d1.pending_records" in one]
        queries[0].stop()
        assert not shown(name)
        assert DriverJvm(spark).beans(beans) == []
        assert shown(both)
    finally:
        for query in queries:
            query.stop()
    assert not shown(both)
