"""A broker of the last Kafka before 4, every day, and in `make matrix` the oldest; `make wire` runs far more."""

from collections.abc import Iterator

import pytest
from dynamic_kafka.errors import TopicRecreatedError

from tests.cluster import KafkaCluster, KafkaClusters, Record, ServerSettings
from tests.cluster.versions import OLDER, OLDEST, has_topic_ids
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import value_of
from tests.scenarios.scene import Scene


@pytest.fixture(scope="module", params=[OLDER, *(pytest.param(one, marks=pytest.mark.matrix) for one in OLDEST)])
def version(request: pytest.FixtureRequest) -> str:
    """That of the broker."""
    return str(request.param)


@pytest.fixture(scope="module")
def started_older(version: str) -> Iterator[KafkaCluster]:
    with KafkaClusters() as clusters:
        (cluster,) = clusters.start("older", settings=ServerSettings(version=version))
        yield cluster


@pytest.fixture
def older(started_older: KafkaCluster) -> KafkaCluster:
    started_older.heal()
    return started_older


@pytest.fixture
def topic(older: KafkaCluster, program: ProgramListing, fresh_name: Name) -> str:
    """A topic of one partition on it, which is the stream `orders`."""
    name = fresh_name("topic")
    # For records with times long ago, which brokers would delete at once.
    older.create_topic(name)
    program.publish("orders", {"older": on(older, name)})
    return name


def test_a_batch_read_of_it_begins_and_ends_at_times(
    version: str, older: KafkaCluster, topic: str, scene: Scene
) -> None:
    assert older.versions() == {version}
    older.produce(topic, [Record(None, str(minute), timestamp_ms=minute * 60_000) for minute in range(1, 7)])
    read = scene.read("orders").starting_offsets({"timestamp": 120_000})
    rows = read.bounded({"timestamp": 300_000}).load().collect()
    assert sorted(value_of(row) for row in rows) == ["2", "3", "4"]
    assert {row["cluster"] for row in rows} == {"older"}


def test_a_query_reads_its_transactions_and_goes_on_after_a_restart_of_both(
    older: KafkaCluster, topic: str, scene: Scene
) -> None:
    rows = scene.read("orders").kafka_property("isolation.level", "read_committed").load()
    running = scene.start(rows)
    older.produce(topic, [(None, "aborted")], transaction="abort")
    older.produce(topic, [(None, "committed")], transaction="commit")
    running.await_values(["committed"])
    running.stop_between_batches()
    older.restart()
    again = scene.start(rows, after=running)
    again.await_values(["committed", *write(older, topic, "later")])


def test_a_topic_of_it_that_is_created_anew_is_reported(
    version: str, older: KafkaCluster, topic: str, scene: Scene
) -> None:
    records = 5 if has_topic_ids(version) else 3
    running = scene.start(scene.read("orders").load())
    running.await_values(write(older, topic, *numbered("", 5)))
    running.stop_between_batches()
    older.delete_topic(topic)
    older.create_topic(topic)
    anew = write(older, topic, *numbered("anew ", records))
    error = scene.start(scene.read("orders").load(), after=running).await_failure()
    assert isinstance(error, TopicRecreatedError)
    lenient = scene.read("orders").fail_on_data_loss(False).load()
    scene.start(lenient, after=running).await_values(numbered("", 5) + anew)
