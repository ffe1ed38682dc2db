"""Which streams a query reads: ids that the service knows, or not any more; patterns and functions that choose."""

from collections.abc import Callable, Collection

import pytest
from dynamic_kafka import MetadataService, find_error
from dynamic_kafka.errors import DynamicKafkaError, MetadataUnavailableError, PythonServiceError, StreamNotFoundError
from pyspark.errors import StreamingQueryException

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


@pytest.fixture
def topics(a: KafkaCluster, fresh_name: Name) -> tuple[str, str]:
    """Two topics of one partition on a."""
    names = fresh_name("first"), fresh_name("second")
    for name in names:
        a.create_topic(name)
    return names


def test_an_unknown_stream_is_reported_at_the_first_start(
    a: KafkaCluster, topics: tuple[str, str], scene: Scene
) -> None:
    scene.publish("orders", {"a": on(a, topics[0])})
    with pytest.raises((StreamingQueryException, DynamicKafkaError)) as failed:
        scene.start(scene.read("orders", "ordres").load()).query.awaitTermination(40)
    error = find_error(failed.value)
    assert isinstance(error, StreamNotFoundError)
    assert "ordres" in str(error)


def test_a_stream_nobody_knows_any_more_is_removed_and_resumes_when_it_returns_though_the_query_restarts(
    operator: Operator, a: KafkaCluster, topics: tuple[str, str], log: SessionLog
) -> None:
    orders, refunds = ({"a": on(a, topic)} for topic in topics)
    read = operator.read("orders", "refunds")
    operator.lists_streams(orders=orders, refunds=refunds)
    running = operator.starts(read)
    expected = write(a, topics[0], "o1") + write(a, topics[1], "r1")
    running.await_values(expected)
    operator.lists_streams(orders=orders)
    log.await_line(f"drain ended cluster=a .*topic={topics[1]}")
    assert running.metrics()["metadataFailures"] == "0"
    running.await_metric("missingStreamNames", lambda seen: seen == "refunds")
    cause = running.await_metric("cluster.a.cause", lambda seen: "[DYNAMIC_KAFKA_STREAM_NOT_FOUND]" in (seen or ""))
    assert "no stream refunds" in cause
    log.await_line(f"WARN .*STREAM_NOT_FOUND. The metadata has no stream refunds, which .* query={running.query.id}")
    missed = write(a, topics[1], "r2")
    running.stop()
    running = operator.starts(read, after=running)
    expected += write(a, topics[0], "o2")
    running.await_values(expected)
    operator.lists_streams(orders=orders, refunds=refunds)
    running.await_values(expected + missed)
    running.await_metric("missingStreams", lambda seen: seen == "0")
    for metric in ("missingStreamNames", "cluster.a.cause"):
        running.await_metric(metric, lambda seen: seen is None)


def test_a_pattern_that_matches_nothing_yet_waits_with_a_warning_and_matches_whole_ids_alone(
    operator: Operator, a: KafkaCluster, topics: tuple[str, str], log: SessionLog
) -> None:
    operator.lists_streams(orders_eu={"a": on(a, topics[1])})
    running = operator.starts(operator.read_chosen().stream_pattern("orders"))
    log.await_line("WARN .*o stream matches the pattern orders: nothing is read until one does")
    running.await_metric("kafkaClustersCount", lambda seen: seen == "0")
    write(a, topics[1], "of another stream")
    expected = write(a, topics[0], "1")
    operator.lists_streams(orders_eu={"a": on(a, topics[1])}, orders={"a": on(a, topics[0])})
    running.await_values(expected)
    running.await_metric("activeSplitCount", lambda seen: seen == "1")


def test_topics_that_pass_to_another_stream_go_on_where_they_were_under_the_new_name(
    operator: Operator, a: KafkaCluster, topics: tuple[str, str]
) -> None:
    both = {"a": on(a, *topics)}
    operator.lists_streams(orders=both)
    running = operator.starts(operator.read_chosen().stream_pattern(".*"))
    expected = write(a, topics[0], "1") + write(a, topics[1], "2")
    running.await_values(expected)
    first = running.await_metric("lastTopologyChange", bool)
    operator.lists_streams(orders={"a": on(a, topics[0])}, refunds={"a": on(a, topics[1])})
    running.await_metric("lastTopologyChange", lambda seen: seen != first)
    expected += write(a, topics[0], "3") + write(a, topics[1], "4")
    running.await_values(expected)
    last = {row["topic"]: row["stream"] for row in running.rows()}
    assert last[topics[0]] == "orders"
    # The rows of one batch carry the stream of its end: none of it is read twice to change that.
    expected += write(a, topics[1], "5")
    running.await_values(expected)
    assert running.rows()[-1]["stream"] == "refunds"


def test_a_function_may_change_its_mind_name_what_nobody_knows_and_fail_without_harm(
    operator: Operator, a: KafkaCluster, topics: tuple[str, str], log: SessionLog
) -> None:
    operator.lists_streams(orders={"a": on(a, topics[0])}, refunds={"a": on(a, topics[1])})
    answers: list[Callable[[], Collection[str]]] = [lambda: ["orders"]]

    def choose(service: MetadataService) -> Collection[str]:
        return answers[-1]()

    running = operator.starts(operator.read_chosen().stream_subscriber(choose))
    expected = write(a, topics[0], "o1")
    running.await_values(expected)
    answers.append(lambda: ["orders", "refunds", "unheard-of"])
    log.await_line("WARN .*subscriber chose the stream unheard-of, which the service does not know")
    expected += write(a, topics[1], "r1")
    running.await_values(expected)
    answers.append(lambda: _undecided())
    running.await_metric("metadataFailures", lambda seen: seen not in (None, "0"))
    expected += write(a, topics[0], "o2") + write(a, topics[1], "r2")
    running.await_values(expected)
    answers.append(lambda: ["refunds"])
    running.await_metric("metadataFailures", lambda seen: seen == "0")
    log.await_line(f"drain ended cluster=a .*topic={topics[0]}")
    answers.append(lambda: [])
    log.await_line("WARN .*subscriber chose no stream: nothing is read until one does")
    running.await_metric("kafkaClustersCount", lambda seen: seen == "0")


def test_a_function_that_fails_or_answers_in_the_wrong_way_at_the_start_fails_the_query(
    operator: Operator, a: KafkaCluster, topics: tuple[str, str]
) -> None:
    operator.lists_streams(orders={"a": on(a, topics[0])})
    read = operator.read_chosen()
    error = operator.starts(read.stream_subscriber(lambda service: _undecided())).await_failure()
    assert isinstance(error, MetadataUnavailableError)
    assert "can't decide" in str(error)
    error = operator.starts(read.stream_subscriber(lambda service: "orders")).await_failure()
    assert isinstance(error, PythonServiceError)


def _undecided() -> Collection[str]:
    raise LookupError("can't decide")
