"""The relabelling of `docker/monitoring`, by a real Prometheus: what it makes of the names that Spark gives to gauges.
That Spark gives these names is tested in `tests/scenarios/test_monitoring.py`."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.monitoring.prometheus import Prometheus, Series, escaped, running

PLUGIN = "driver_plugin_io_github_dynamickafka_spark_MonitoringPlugin"
OTHER = "metrics_app_1_driver_BlockManager_memory_maxMem_MB_Number"
# Ids, each with its label if it is another text.
IDS = {
    "eu-1": None,
    "eu_1": None,
    "eu.1": None,
    "eu1": None,
    "orders enriched (v2)": None,
    "fe80::1/64": None,
    "----": None,
    "__a__b": None,
    # Texts that are codes, or words of ours, when they are not escaped.
    "a_2d": None,
    "a_5f5f": None,
    "cluster": None,
    "x_cluster_y_state_reading": None,
    "1_source_0_cluster_1": None,
    "3f2a9c01-d4e5-4687-9c01-3f2a9c01d4e5": None,
    # No rule is there for these.
    "é-€": "_e9-_u20ac",
    "a|b~c": "a_7cb_7ec",
    "euÊuse": "eu_cause",
}


def scrape(application: str) -> str:
    """What Spark's servlet shows of these ids, each as a query and as a cluster."""
    lines = [f'{OTHER}{{type="gauges"}} 7', f'metrics_{application}_{PLUGIN}_queries_Number{{type="gauges"}} 9']
    for name in IDS:
        query = f"metrics_{application}_{PLUGIN}_query_{escaped(name)}"
        source = f"{query}_source_0"
        cluster = f"{source}_cluster_{escaped(name)}"
        gauges = [f"{query}_watermarkLag", f"{source}_activeSplitCount", f"{cluster}_pendingRecords"]
        gauges += [f"{cluster}_state_draining", f"{cluster}_cause_NOT_AUTHORIZED", f"{cluster}_cause_OTHER"]
        lines += [f'{gauge}_{kind}{{type="gauges"}} 1' for gauge in gauges for kind in ("Number", "Value")]
    return "\n".join(lines) + "\n"


class Page(BaseHTTPRequestHandler):
    """Shows what Spark would."""

    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_arguments: object) -> None:
        """Says nothing."""


@contextmanager
def served(application: str) -> Iterator[str]:
    """The address of an application's page."""
    page = type("PageOf", (Page,), {"body": scrape(application).encode()})
    with ThreadingHTTPServer(("127.0.0.1", 0), page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        served("app_20261122_0001") as usual,
        served("orders_query_x_cluster_y_state_z") as odd,
        running(folder, usual, odd) as found,
    ):
        yield found


def labels(prometheus: Prometheus, name: str) -> list[Series]:
    """The labels of all series of a metric, but for those of the target: they are the same for each application."""
    by_target: dict[str, list[Series]] = {}
    for one, _value in prometheus.query(name):
        by_target.setdefault(one.pop("instance"), []).append(one)
        assert one.pop("job") == "spark"
    first, second = by_target.values()
    assert by_query(first) == by_query(second)
    return by_query(first)


def by_query(series: list[Series]) -> list[Series]:
    return sorted(series, key=lambda one: (one.get("query", ""), one.get("cause", "")))


def expected(name: str, *, source: bool = True, cluster: bool = True, **more: str) -> list[Series]:
    series = [{"__name__": name, "query": label or text, **more} for text, label in IDS.items()]
    for one in series:
        one |= {"source": "0"} if source else {}
        one |= {"cluster": one["query"]} if cluster else {}
    return series


@pytest.mark.parametrize(
    "wanted",
    [
        expected("dynamic_kafka_cluster_pendingRecords"),
        expected("dynamic_kafka_cluster_state", state="draining"),
        [one for cause in ("NOT_AUTHORIZED", "OTHER") for one in expected("dynamic_kafka_cluster_cause", cause=cause)],
        expected("dynamic_kafka_activeSplitCount", cluster=False),
        expected("dynamic_kafka_watermarkLag", cluster=False, source=False),
    ],
    ids=lambda wanted: wanted[0]["__name__"],
)
def test_each_gauge_has_its_name_and_the_ids_as_labels(prometheus: Prometheus, wanted: list[Series]) -> None:
    assert labels(prometheus, wanted[0]["__name__"]) == by_query(wanted)


def test_other_metrics_stay_and_nothing_is_shown_twice(prometheus: Prometheus) -> None:
    assert labels(prometheus, OTHER) == [{"__name__": OTHER, "type": "gauges"}]
    assert labels(prometheus, "dynamic_kafka_queries") == [{"__name__": "dynamic_kafka_queries"}]
    assert prometheus.query('{__name__=~"metrics_.*MonitoringPlugin.*"}') == []
    (counted,) = prometheus.query('count({__name__=~"dynamic_kafka_.*"})')
    assert counted[1] == 2 * (6 * len(IDS) + 1)
