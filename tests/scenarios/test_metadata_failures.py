"""The metadata service fails, in any way: the last topology stays, and nobody waits."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from dynamic_kafka import (
    DynamicKafkaError,
    HttpMetadataService,
    JvmMetadataService,
    KafkaStream,
    MetadataService,
)
from dynamic_kafka.errors import InvalidOptionError, MetadataUnavailableError, PythonServiceError

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import FileListing, Scripted, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


@pytest.fixture
def topic(a: KafkaCluster, fresh_name: Name) -> str:
    """A topic on cluster a."""
    name = fresh_name("topic")
    a.create_topic(name)
    return name


@pytest.fixture
def scripted(a: KafkaCluster, topic: str) -> Scripted:
    """A service that knows the stream `orders`, which is that topic."""
    service = Scripted()
    service.put(KafkaStream("orders", {"a": on(a, topic)}))
    return service


def started(queries: Queries, source: Source, service: MetadataService, **options: Any) -> Running:
    builder = source(service, "orders").options(**options)
    return queries.start(builder.load())


def failures_seen(running: Running, at_least: int = 1) -> None:
    running.await_metric("metadataFailures", lambda seen: seen is not None and int(seen) >= at_least)


def failures_over(running: Running) -> None:
    running.await_metric("metadataFailures", lambda seen: seen == "0")


BROKEN_FILES = {
    "empty": "",
    "cut off": "- streamId: orders\n  clusterMetadataList:\n    - clusterId: a\n      boots",
    "of another form": "streams: {}",
    "with an unknown field": "- streamId: orders\n  clusterMetadataList: []\n  colour: red\n",
}


def test_a_file_that_is_broken_or_gone_keeps_the_last_topology(
    a: KafkaCluster, topic: str, file: FileListing, filed: Scene
) -> None:
    filed.publish("orders", {"a": on(a, topic)})
    good = file.path.read_text()
    running = filed.start(filed.read("orders").load())
    expected = write(a, topic, "begun")
    running.await_values(expected)
    for kind, text in BROKEN_FILES.items():
        file.write(text)
        failures_seen(running)
        expected += write(a, topic, f"while the file is {kind}")
        running.await_values(expected)
        file.write(good)
        failures_over(running)
    file.path.unlink()
    failures_seen(running)
    running.await_values(expected + write(a, topic, "while there is no file"))


def test_a_service_that_hangs_delays_nobody_and_does_not_hold_up_the_stop(
    a: KafkaCluster, topic: str, scripted: Scripted, queries: Queries, source: Source
) -> None:
    running = started(queries, source, scripted, metadataRequestTimeout="3s")
    expected = write(a, topic, "begun")
    running.await_values(expected)
    free, hanging = threading.Event(), threading.Event()

    def hang() -> None:
        hanging.set()
        free.wait(120)

    scripted.act = hang
    try:
        eventually("the service hangs", hanging.is_set, within=20)
        failures_seen(running, at_least=2)
        expected += write(a, topic, "while it hangs")
        running.await_values(expected)
        began = time.monotonic()
        running.stop()
        assert time.monotonic() - began < 30, "long before the service answers"
    finally:
        free.set()


def test_a_service_that_raises_at_the_first_fetch_fails_the_query_with_its_traceback(
    scripted: Scripted, queries: Queries, source: Source
) -> None:
    def refuse() -> None:
        raise ConnectionError("the catalogue is closed on Sundays")

    scripted.act = refuse
    error = failure_at_start(queries, source, scripted)
    assert isinstance(error, MetadataUnavailableError)
    assert "the catalogue is closed on Sundays" in str(error)
    assert "Traceback" in str(error)
    assert "in refuse" in str(error)


def test_a_service_that_can_not_be_opened_is_not_opened_again_to_be_closed(
    queries: Queries, source: Source, log: SessionLog
) -> None:
    error = failure_at_start(queries, source, HttpMetadataService("${env:NO_SUCH_VARIABLE}/streams"))
    assert isinstance(error, InvalidOptionError)
    assert "NO_SUCH_VARIABLE" in str(error)
    assert log.lines("Failed to stop streaming source") == []


def test_a_service_that_raises_later_fails_the_query_after_as_many_failures_as_allowed(
    a: KafkaCluster, topic: str, scripted: Scripted, queries: Queries, source: Source
) -> None:
    running = started(queries, source, scripted, metadataDiscoveryFailureThreshold=3)
    running.await_values(write(a, topic, "begun"))
    calls: list[float] = []
    well_again = threading.Event()

    def fail(times: int) -> Callable[[], None]:
        def once() -> None:
            if len(calls) < times:
                calls.append(time.monotonic())
                raise ConnectionError("gone")
            well_again.set()

        return once

    scripted.act = fail(3)
    eventually("it failed three times", lambda: len(calls), until=lambda seen: seen == 3, within=20)
    assert well_again.wait(20)
    failures_over(running)
    calls.clear()
    scripted.act = fail(100)
    error = running.await_failure()
    assert isinstance(error, MetadataUnavailableError)
    assert "gone" in str(error)
    assert len(calls) >= 4


@pytest.mark.parametrize("answer", [7, ["orders"], {"orders": "a stream"}, {1: None}])
def test_an_answer_of_the_wrong_type_is_reported_as_such(
    answer: object, scripted: Scripted, queries: Queries, source: Source
) -> None:
    scripted.act = lambda: answer
    error = failure_at_start(queries, source, scripted)
    assert isinstance(error, PythonServiceError)
    assert "describe_streams" in str(error)


def test_a_python_service_is_asked_while_the_main_thread_awaits_the_end(
    a: KafkaCluster, topic: str, scripted: Scripted, queries: Queries, source: Source, fresh_name: Name
) -> None:
    running = started(queries, source, scripted)
    later = fresh_name("later")
    a.create_topic(later)
    expected = write(a, topic, "1") + write(a, later, "2")

    def change_and_stop() -> None:
        try:
            scripted.put(KafkaStream("orders", {"a": on(a, topic, later)}))
            running.await_values(expected)
        finally:
            running.stop()

    changing = threading.Thread(target=change_and_stop)
    changing.start()
    running.query.awaitTermination()
    changing.join()
    assert sorted(running.values()) == sorted(expected)


def failure_at_start(
    queries: Queries, source: Source, service: MetadataService | JvmMetadataService
) -> DynamicKafkaError:
    """What a query with this service fails with, at its start or soon after it."""
    return queries.start(source(service, "orders").load()).await_failure()
