"""The bridge to a real JVM that was started without the jar. Needs the built jar, and no broker."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from dynamic_kafka import (
    ClusterMetadata,
    DynamicKafkaSource,
    InMemoryMetadataService,
    KafkaStream,
    MetadataService,
    find_error,
)
from dynamic_kafka._jar import ARTIFACT, jar_path, version
from dynamic_kafka._jvm import _Driver
from dynamic_kafka.errors import (
    MetadataUnavailableError,
    PythonServiceError,
    UnsupportedOnConnectError,
    VersionMismatchError,
)

EU = ClusterMetadata(
    ["ö"],
    bootstrap_servers="b1:9092",
    starting_offsets="earliest",
    ending_offsets={"ö": 9},
    continues="eu-0",
    paused=["ö"],
)
ORDERS = KafkaStream("orders", {"eu-1": EU})


def started() -> SparkSession:
    return SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    jar_path()  # raises if there is none: what this module tests is the jar
    session = started()
    yield session
    session.stop()


@pytest.fixture
def driver(spark: SparkSession) -> _Driver:
    driver = _Driver(spark)
    driver.bring_jar()
    return driver


def on_jvm_thread(driver: _Driver, call: Any) -> Any:
    """What a Java method of no arguments returns when a thread of the JVM calls it while this one waits."""
    jvm: Any = driver._jvm
    task = jvm.java.util.concurrent.CompletableFuture.supplyAsync(call)
    return task.get(30, jvm.java.util.concurrent.TimeUnit.SECONDS)


class Supplier:
    """Calls Java's `getAllStreams` of a service."""

    def __init__(self, service: Any) -> None:
        self._service = service

    def get(self) -> str:
        return str(self._service.getAllStreams().toString())

    class Java:
        implements = ("java.util.function.Supplier",)


def in_thread(work: Callable[[], object]) -> list[object]:
    """What the work returned, or raised, in a thread of its own, which has a thread of its own on the JVM."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as raised:
            results.append(raised)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return results


def test_a_running_session_gets_the_jar_once_and_its_executors_too(driver: _Driver) -> None:
    driver.bring_jar()
    jars: Any = driver._session.sparkContext().listJars().mkString(",")
    assert jars.count(ARTIFACT) == 1


def test_another_thread_finds_the_jar_as_well(driver: _Driver) -> None:
    def look() -> object:
        other = _Driver(driver._spark)
        other.bring_jar()
        return other._bridge().version()

    assert in_thread(look) == [version()]


def test_the_version_of_the_jar_must_be_that_of_the_package(driver: _Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.check_version()
    there = version()
    monkeypatch.setattr("dynamic_kafka._jvm.version", lambda: "9.9.9")
    with pytest.raises(VersionMismatchError, match=f"{there}.*spark_2.13:9.9.9.*pip install .*=={there}"):
        driver.check_version()


def test_the_jvm_reads_a_service_of_pythons(driver: _Driver) -> None:
    service = InMemoryMetadataService([ORDERS])
    service.deactivate("us-1")
    handle, wrapper = driver.hand_over(service)
    assert handle.startswith("registered:")
    (stream,) = wrapper.getAllStreams()
    cluster = stream.getClusters()["eu-1"]
    assert (list(cluster.getTopics()), dict(cluster.getProperties())) == (["ö"], {"bootstrap.servers": "b1:9092"})
    assert (cluster.getStartingOffsets().get(), cluster.getEndingOffsets().get()) == ("earliest", '{"ö":9}')
    assert (list(cluster.getContinues()), list(cluster.getPausedTopics())) == (["eu-0"], ["ö"])
    assert list(wrapper.describeStreams(["orders", "none"])) == ["orders"]
    assert (wrapper.isClusterActive("eu-1"), wrapper.isClusterActive("us-1")) == (True, False)


def test_a_thread_of_the_jvms_is_answered_while_python_waits(driver: _Driver) -> None:
    _handle, wrapper = driver.hand_over(InMemoryMetadataService([ORDERS]))
    assert "orders" in on_jvm_thread(driver, Supplier(wrapper))


def test_one_service_object_is_one_object_on_the_jvm(driver: _Driver) -> None:
    service = InMemoryMetadataService()
    first, held = driver.hand_over(service)
    again, _held = driver.hand_over(service)
    other, _other = driver.hand_over(InMemoryMetadataService())
    assert first == again != other
    del held


def test_a_service_that_no_query_uses_any_more_is_freed(driver: _Driver) -> None:
    service = InMemoryMetadataService()
    freed = threading.Event()
    weakref.finalize(service, freed.set)
    _handle, wrapper = driver.hand_over(service)
    del service, wrapper
    for _ in range(100):
        gc.collect()
        driver._jvm.System.gc()
        if freed.wait(0.1):
            return
    pytest.fail("the service is still held after 100 collections on both sides")


class Failing(InMemoryMetadataService):
    def all_streams(self) -> Collection[KafkaStream]:
        raise LookupError("no such table")

    def is_cluster_active(self, cluster_id: str) -> bool:
        return None  # type: ignore[return-value]


def test_what_a_service_raises_comes_back_with_its_text_and_traceback(driver: _Driver) -> None:
    _handle, wrapper = driver.hand_over(Failing())
    with pytest.raises(Exception, match="no such table") as caught:
        wrapper.getAllStreams()
    found = find_error(caught.value)
    assert isinstance(found, MetadataUnavailableError)
    assert 'raise LookupError("no such table")' in str(found)


def test_a_result_of_a_wrong_type_comes_back_as_such(driver: _Driver) -> None:
    _handle, wrapper = driver.hand_over(Failing())
    with pytest.raises(Exception, match="expected a bool") as caught:
        wrapper.isClusterActive("eu-1")
    assert isinstance(find_error(caught.value), PythonServiceError)


def test_the_jvm_asks_a_subscriber_of_pythons(driver: _Driver) -> None:
    _handle, service = driver.hand_over(InMemoryMetadataService([ORDERS, KafkaStream("refunds", {})]))
    handle, subscriber = driver.hand_over(lambda view: {s.stream_id for s in view.all_streams() if s.clusters})
    assert handle.startswith("registered:")
    assert list(subscriber.getSubscribedStreams(service)) == ["orders"]


def test_a_subscriber_of_pythons_sees_each_cluster_as_it_was_described(driver: _Driver) -> None:
    whole = ClusterMetadata(["t"], {"client.rack": "a"}, continues=["eu-0", "eu-1"], paused=True)
    described = KafkaStream("orders", {"eu-1": EU, "eu-2": whole, "us-1": ClusterMetadata([])})
    seen: list[KafkaStream] = []

    def choose(service: MetadataService) -> Collection[str]:
        seen.extend(service.all_streams())
        return ()

    _handle, service = driver.hand_over(InMemoryMetadataService([described]))
    _chosen, subscriber = driver.hand_over(choose)
    subscriber.getSubscribedStreams(service)
    assert seen == [described]


def test_an_object_of_pythons_is_refused_over_connect() -> None:
    remote: Any = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(UnsupportedOnConnectError, match="metadataService is a InMemoryMetadataService"):
        DynamicKafkaSource.builder(remote).metadata_service(InMemoryMetadataService()).load()
    with pytest.raises(UnsupportedOnConnectError, match="streamSubscriber is a function"):
        DynamicKafkaSource.builder(remote).stream_subscriber(lambda _: ()).load()


def test_the_next_session_of_the_process_gets_the_jar_again(driver: _Driver) -> None:
    driver._spark.stop()
    following = _Driver(started())
    jars: Any = following._session.sparkContext().listJars()
    assert jars.isEmpty()
    following.bring_jar()
    jars = following._session.sparkContext().listJars()
    assert ARTIFACT in jars.mkString(",")
    following._spark.stop()
