"""A topic is deleted and created anew while a batch runs: nothing of the new one is read in place of the old one."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer
from dynamic_kafka import find_error
from dynamic_kafka.errors import TopicRecreatedError
from pyspark.sql import DataFrame

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.scene import Scene
from tests.scenarios.test_defer_in_batch import Tables

OLD, NEW = numbered("old ", 5), numbered("anew ", 9)


@pytest.fixture
def topic(a: KafkaCluster, program: ProgramListing, fresh_name: Name) -> str:
    """A topic with the old values, which is the stream `orders`."""
    name = fresh_name("topic")
    a.create_topic(name)
    write(a, name, *OLD)
    program.publish("orders", {"a": on(a, name)})
    return name


@pytest.fixture
def anew(a: KafkaCluster, topic: str) -> Callable[[], None]:
    def again() -> None:
        a.delete_topic(topic)
        a.create_topic(topic)
        write(a, topic, *NEW)

    return again


@pytest.mark.parametrize("policy", ["wait", "defer"])
def test_a_topic_created_anew_between_two_actions_gives_the_second_one_nothing_else(
    policy: str, topic: str, anew: Callable[[], None], scene: Scene, tmp_path: Path
) -> None:
    def tables(fail_on_data_loss: bool) -> Tables:
        read = scene.read("orders").option("unreadableRangePolicy", policy).fail_on_data_loss(fail_on_data_loss)
        return Tables(read.load(), tmp_path / "checkpoint", 2)

    strict = tables(True)
    strict.before[1] = anew
    strict.start()
    eventually("the query fails", lambda: not strict.query.isActive, within=60)
    failure = strict.query.exception()
    assert failure is not None
    assert isinstance(find_error(failure), TopicRecreatedError)
    assert strict.tables == [{0: OLD}, {}]
    lenient = tables(False)
    lenient.start()
    try:
        lenient.awaits(NEW)
    finally:
        lenient.query.stop()


def test_nor_one_that_was_missing_for_a_while_and_is_written_to_at_once(
    a: KafkaCluster, topic: str, scene: Scene, tmp_path: Path
) -> None:
    """Kafka's client has no id of a missing topic, and fetches it by its name until it asks for ids again."""
    impatient = {"topic.metadata.refresh.fast.interval.ms": 5, "retry.backoff.ms": 5, "linger.ms": 0}
    producer = Producer({"bootstrap.servers": a.bootstrap_servers, "allow.auto.create.topics": False, **impatient})
    producer.list_topics(timeout=30)

    def again() -> None:
        # Once it is missing for some seconds, the client asks for ids about once in a second.
        time.sleep(3)
        a.create_topic(topic)
        for value in NEW:
            producer.produce(topic, value=value)
        producer.flush(30)

    def missing() -> None:
        a.delete_topic(topic)
        threading.Thread(target=again, daemon=True).start()

    tables = Tables(scene.read("orders").load(), tmp_path / "checkpoint", 2)
    tables.before[1] = missing
    tables.start()
    eventually("the query fails", lambda: not tables.query.isActive or tables.tables[1], within=60)
    assert tables.tables == [{0: OLD}, {}]
    failure = tables.query.exception()
    assert failure is not None
    assert isinstance(find_error(failure), TopicRecreatedError)


@pytest.mark.parametrize("policy", ["wait", "defer"])
def test_where_loss_is_allowed_the_new_topic_comes_once_and_what_is_lost_counts_once(
    policy: str, topic: str, anew: Callable[[], None], scene: Scene, tmp_path: Path
) -> None:
    read = scene.read("orders").option("unreadableRangePolicy", policy).fail_on_data_loss(False)
    running = Tables(read.load(), tmp_path / "checkpoint", 2)
    running.before[1] = anew
    running.start()
    try:
        eventually("both have it", lambda: running.values(1), until=lambda seen: len(seen) >= len(NEW), within=60)
        assert running.tables[0][0] == OLD
        assert running.tables[1][0] == []
        assert running.values(0) == sorted(OLD + NEW)
        assert running.values(1) == sorted(NEW)
        running.awaits_metrics("the loss counts once", lambda seen: seen.get("dataLossRecords") == str(len(OLD)))
    finally:
        running.query.stop()


def test_one_that_is_deleted_while_a_batch_drains_it_ends_no_query(
    a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, tmp_path: Path
) -> None:
    b.create_topic(topic)
    write(a, topic, *NEW)
    read = scene.read("orders").max_offsets_per_trigger(1).cluster_read_timeout("10s").cluster_request_timeout("3s")
    tables = Tables(read.load(), tmp_path / "checkpoint", 2)
    gone = threading.Event()

    def deleted() -> None:
        a.delete_topic(topic)
        gone.set()

    def look(_: DataFrame) -> None:
        scene.publish("orders", {"a": on(a), "b": on(b, topic)})
        newest = tmp_path / "checkpoint" / "offsets" / str(BatchLogs(tmp_path / "checkpoint").numbers("offsets")[-1])
        if not gone.is_set() and '"drain":{"0":' in newest.read_text():
            tables.before[1] = deleted

    tables.first = look
    tables.start()
    try:
        eventually("it is deleted", gone.is_set, within=60)
        tables.awaits_among(write(b, topic, "other 1"))
        # The first action of that batch has taken the record that the second one can't have any more.
        first, second = (Counter(tables.values(number)) for number in (0, 1))
        assert (first - second).total() == 1
        assert not second - first
    finally:
        tables.query.stop()
