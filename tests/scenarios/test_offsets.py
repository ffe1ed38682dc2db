"""Where reading begins and ends: every form of an offset, on two clusters that have a topic of one name."""

import json
import time
from typing import Any

import pytest
from dynamic_kafka import ClusterMetadata
from dynamic_kafka.errors import DataLossError

from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, values
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

pytestmark = pytest.mark.wire


# The times of the records; they lie so long ago that brokers would delete them at once.
NOON, MINUTE = 1_700_000_000_000, 60_000


def at(minute: int) -> dict[str, Any]:
    return {"timestamp": NOON + MINUTE * minute}


def committed(group: str, otherwise: object) -> dict[str, Any]:
    return {"committed": group, "otherwise": otherwise}


def ms() -> int:
    return int(time.time() * 1000)


@pytest.fixture
def topic(a: KafkaCluster, b: KafkaCluster, fresh_name: Name) -> str:
    """A topic with records at minutes 0, 1 and 2: in two partitions on a, in one on b."""
    name = fresh_name("topic")
    for cluster, partitions in ((a, 2), (b, 1)):
        cluster.create_topic(name, partitions=partitions)
        for number in range(partitions):
            cluster.produce(
                name,
                [
                    Record(None, f"{cluster.name}{number}{minute}", (), NOON + MINUTE * minute, number)
                    for minute in range(3)
                ],
            )
    return name


@pytest.fixture
def group(a: KafkaCluster, b: KafkaCluster, topic: str, fresh_name: Name) -> str:
    """A group that has committed offset 1 of a's first partition and offset 2 of b's."""
    name = fresh_name("group")
    a.commit(name, topic, {0: 1})
    b.commit(name, topic, {0: 2})
    return name


@pytest.fixture
def both(a: KafkaCluster, b: KafkaCluster, topic: str, program: ProgramListing) -> ProgramListing:
    """Lists that topic on both clusters as the stream `orders`."""
    program.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    return program


ALL = ["a00", "a01", "a02", "a10", "a11", "a12", "b00", "b01", "b02"]
Points = list[tuple[Any, list[str]]]


def points(topic: str, group: str) -> Points:
    """Each form at each level, with what is read from there on."""
    return [
        (committed(group, "earliest"), ["a01", "a02", "a10", "a11", "a12", "b02"]),
        (committed(group, "latest"), ["a01", "a02", "b02"]),
        (committed(group, at(2)), ["a01", "a02", "a12", "b02"]),
        (committed("nobody-has-committed-here", committed(group, at(9))), ["a01", "a02", "b02"]),
        (at(1), ["a01", "a02", "a11", "a12", "b01", "b02"]),
        ({"a": committed(group, at(1)), "b": {topic: {"0": 1}}}, ["a01", "a02", "a11", "a12", "b01", "b02"]),
        ({"a": {topic: {"0": 2, "*": at(2)}}, "b": {"*": "latest"}}, ["a02", "a12"]),
        ({"a": {topic: {"0": "latest", "1": committed(group, "earliest")}}, "b": at(2)}, ["a10", "a11", "a12", "b02"]),
    ]


def test_a_query_begins_at_each_form_of_an_offset(
    both: ProgramListing, topic: str, group: str, queries: Queries, source: Source
) -> None:
    # Every other one: each is a query of its own, and takes a second.
    for point, expected in points(topic, group)[::2]:
        running = queries.start(source(both.service, "orders").starting_offsets(point).load(), availableNow=True)
        running.await_end()
        assert sorted(running.values()) == expected, point


def test_a_batch_read_begins_at_each_form_of_an_offset(
    both: ProgramListing, topic: str, group: str, source: Source
) -> None:
    for point, expected in points(topic, group):
        read = source(both.service, "orders").starting_offsets(point).bounded()
        assert values(read.load().collect()) == expected, point


def test_a_batch_read_ends_at_each_form_of_an_offset(
    both: ProgramListing, topic: str, group: str, source: Source
) -> None:
    # What these points begin, they do not include as an end.
    for point, left in points(topic, group):
        read = source(both.service, "orders").bounded(point)
        assert values(read.load().collect()) == sorted(set(ALL) - set(left)), point


def test_a_clusters_own_offsets_take_each_form_and_beat_those_of_the_read(
    a: KafkaCluster, b: KafkaCluster, topic: str, group: str, scene: Scene
) -> None:
    own: list[tuple[ClusterMetadata, ClusterMetadata, list[str]]] = [
        (
            ClusterMetadata([topic], a.properties(), starting_offsets=committed(group, "latest")),
            ClusterMetadata([topic], b.properties(), starting_offsets=at(1), ending_offsets=committed(group, "latest")),
            ["a01", "a02", "b01"],
        ),
        (
            ClusterMetadata([topic], a.properties(), ending_offsets={topic: {"0": 1, "1": at(1)}}),
            ClusterMetadata([topic], b.properties(), starting_offsets={topic: {"0": 2}}),
            ["a00", "a10", "b02"],
        ),
    ]
    for first, second, expected in own:
        scene.publish("orders", {"a": first, "b": second})
        read = scene.read("orders").starting_offsets("earliest").bounded("latest")
        assert values(read.load().collect()) == expected


def test_a_start_is_resolved_once_though_no_batch_was_read_before_the_restart(
    a: KafkaCluster, both: ProgramListing, topic: str, group: str, queries: Queries, source: Source
) -> None:
    a.commit(group, topic, {0: 3, 1: 3})
    read = source(both.service, "orders").starting_offsets({"a": committed(group, "earliest"), "b": at(9)}).load()
    running = queries.start(read)
    running.await_state("b", "reading")
    running.stop_between_batches()
    assert running.values() == []
    a.commit(group, topic, {0: 0, 1: 0})
    again = queries.start(read, after=running)
    again.await_values(write(a, topic, "since", partition=1))


def test_a_cluster_that_comes_later_begins_at_a_groups_commit_and_the_log_says_how_many_records_that_is(
    a: KafkaCluster, b: KafkaCluster, topic: str, group: str, scene: Scene, log: SessionLog
) -> None:
    scene.publish("orders", {"a": on(a, topic)})
    read = scene.read("orders").new_cluster_offsets(committed(group, "latest"))
    running = scene.start(read.load())
    running.await_values(ALL[:6])
    assert "cluster began cluster=a partitions=2 records=6" in log.await_line("cluster began cluster=a")
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    running.await_values([*ALL[:6], "b02"])
    assert "cluster began cluster=b partitions=1 records=1" in log.await_line("cluster began cluster=b")


def test_a_start_whose_records_are_gone_is_loss_or_begins_at_what_is_left(
    a: KafkaCluster, scene: Scene, topic: str, group: str
) -> None:
    a.delete_records(topic, {0: 2})
    scene.publish("orders", {"a": on(a, topic)})
    starts: list[Any] = [committed(group, "earliest"), {"a": {topic: {"0": 1, "1": "earliest"}}}]
    for point in starts:
        read = scene.read("orders").starting_offsets(point)
        error = scene.start(read.load()).await_failure()
        assert isinstance(error, DataLossError)
        assert "partition 0: 1 until 2" in str(error)
        running = scene.start(read.fail_on_data_loss(False).load())
        running.await_values(["a02", "a10", "a11", "a12"])
        running.await_metric("dataLossRecords", lambda seen: seen == "1")
        running.stop()


def ending(topic: str, ends: object) -> str:
    return json.dumps({topic: ends})


def test_each_partition_ends_exactly_and_goes_on_as_its_end_moves_over_restarts(
    a: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    topic = fresh_name("topic")
    a.create_topic(topic, partitions=3)
    read = scene.read("orders").load()

    def wrote(first: int) -> list[str]:
        """Two more records in each of the partitions 0 and 1, and one in the third, which no end names."""
        for number in (0, 1):
            write(a, topic, f"{number}-{first}", f"{number}-{first + 1}", partition=number)
        return write(a, topic, f"2-{first}", partition=2)

    expected = wrote(0)
    scene.publish("orders", {"a": on(a, topic, ending=ending(topic, {"0": 1, "1": "latest"}))})
    running = scene.start(read)
    expected += ["0-0", "1-0", "1-1"]
    running.await_values(expected)
    running.stop_between_batches()
    expected += wrote(2)
    # `latest` was resolved at first contact, and stays what it was.
    running = scene.start(read, after=running)
    running.await_values(expected)
    scene.publish("orders", {"a": on(a, topic, ending=ending(topic, {"0": 3, "1": 2, "2": 2}))})
    expected += ["0-1", "0-2"]
    running.await_values(expected)
    running.await_state("a", "finished")
    write(a, topic, "2-4", partition=2)
    running.stop()
    scene.publish("orders", {"a": on(a, topic)})
    running = scene.start(read, after=running)
    running.await_values([*expected, "0-3", "1-2", "1-3", "2-4"])


def test_a_cut_over_at_a_time_ahead_holds_over_a_restart_and_a_removal(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    topic, then = fresh_name("topic"), ms() + 10 * MINUTE
    for cluster in (a, b):
        cluster.create_topic(topic, partitions=2)
    point = json.dumps({"timestamp": then})
    early = write(a, topic, "a before", partition=0) + write(a, topic, "another before", partition=1)
    scene.publish("orders", {"a": on(a, topic, ending=point)})
    read = scene.read("orders").load()
    running = scene.start(read)
    running.await_values(early)
    running.stop_between_batches()
    # All this comes while the query is down: the last records before the time, the first ones after it, the removal.
    early += write(a, topic, "a last one", partition=0)
    b.produce(topic, [Record(None, "too early", (), then - 1, 0)])
    for cluster in (a, b):
        late = [
            Record(None, f"{cluster.name} after", (), then, 0),
            Record(None, f"{cluster.name} later", (), then + 1, 0),
        ]
        cluster.produce(topic, late)
    scene.publish("orders", {"a": on(a), "b": on(b, topic, starting=point)})
    again = scene.start(read, after=running)
    again.await_values([*early, "b after", "b later"])
    # Listed again without an end, it goes on from there: nothing was skipped for good.
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    again.await_values([*early, "b after", "b later", "a after", "a later"])
