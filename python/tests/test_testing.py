"""The kit for users' tests, as far as it goes without a broker: see tests/wheel/test_testing.py."""

from __future__ import annotations

import doctest
import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from dynamic_kafka import ClusterMetadata, KafkaStream, testing
from dynamic_kafka.testing import KafkaTestbed, Record, assert_each_once
from dynamic_kafka.testing._clusters import Clusters
from dynamic_kafka.testing._listing import entries


class Cluster:
    """Keeps what it is given."""

    def __init__(self, name: str) -> None:
        self.bootstrap_servers = f"{name}:9092"
        self.created: dict[str, int] = {}
        self.records: list[Record] = []

    def topics(self) -> set[str]:
        return set(self.created)

    def create_topic(self, topic: str, partitions: int) -> None:
        self.created[topic] = partitions

    def produce(self, _topic: str, records: Iterable[Record | tuple[str, str]]) -> int:
        self.records += [one if isinstance(one, Record) else Record(*one) for one in records]
        return len(self.records)


@pytest.fixture
def testbed(tmp_path: Path) -> KafkaTestbed:
    clusters = {name: Cluster(name) for name in ("eu-1", "eu-2")}
    return KafkaTestbed(cast("Clusters[Any]", clusters), tmp_path / "streams.yaml")


def of(testbed: KafkaTestbed, name: str) -> Cluster:
    return cast("Cluster", testbed.cluster(name))


def listed(testbed: KafkaTestbed) -> dict[str, list[str]]:
    """By cluster the topics of the stream `orders`; the file and the service say the same."""
    stream = testbed.service.describe_streams(["orders"])["orders"]
    (said,) = json.loads(testbed.file.read_text())
    found = {one["clusterId"]: one["topics"] for one in said["clusterMetadataList"]}
    assert found == {name: sorted(cluster.topics) for name, cluster in stream.clusters.items()}
    return found


def test_a_move_takes_the_writers_first_and_leaves_the_former_cluster_to_drain(testbed: KafkaTestbed) -> None:
    assert json.loads(testbed.file.read_text()) == []
    testbed.create_stream("orders", on="eu-1", partitions=3)
    assert listed(testbed) == {"eu-1": ["orders"]}
    testbed.write("orders", ["1", ("key", b"2")])
    testbed.move("orders", to="eu-2")
    assert listed(testbed) == {"eu-1": [], "eu-2": ["orders"]}
    assert of(testbed, "eu-2").created == {"orders": 3}
    testbed.write("orders", [Record(None, "3", partition=2)])
    assert [record.value for record in of(testbed, "eu-1").records] == ["1", b"2"]
    assert of(testbed, "eu-2").records == [Record(None, "3", partition=2)]
    assert testbed.written("orders") == ["1", "2", "3"]
    testbed.move("orders", to="eu-1")
    assert listed(testbed) == {"eu-1": ["orders"], "eu-2": []}


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda bed: bed.create_stream("orders", on="eu-2"), "Stream 'orders' is there already, on eu-1"),
        (lambda bed: bed.move("orders", to="eu-1"), "Stream 'orders' is on eu-1 already"),
        (lambda bed: bed.move("orders", to="us"), "There is no cluster 'us'. There are eu-1 and eu-2"),
        (lambda bed: bed.stop_cluster("us"), "There is no cluster 'us'"),
        (lambda bed: bed.write("refunds", ["1"]), "There is no stream 'refunds'. Create it by create_stream"),
        (lambda bed: bed.written("refunds"), "There is no stream 'refunds'"),
    ],
)
def test_a_mistake_is_named(testbed: KafkaTestbed, act: Callable[[KafkaTestbed], None], said: str) -> None:
    testbed.create_stream("orders")
    with pytest.raises(ValueError, match=said):
        act(testbed)
    assert listed(testbed) == {"eu-1": ["orders"]}


def test_one_text_is_no_list_of_records(testbed: KafkaTestbed) -> None:
    testbed.create_stream("orders")
    with pytest.raises(TypeError, match="a list of texts, not a text"):
        testbed.write("orders", "12")


def test_what_else_is_published_is_in_the_file_with_all_its_fields(testbed: KafkaTestbed) -> None:
    paused = ClusterMetadata(
        ["b", "a"],
        {"security.protocol": "SSL"},
        bootstrap_servers="b1:9092",
        starting_offsets="latest",
        ending_offsets={"a": {"0": 5}},
        continues=["eu-0", "eu-00"],
        paused=["a"],
    )
    testbed.publish(KafkaStream("orders", {"eu-1": paused}))
    (said,) = json.loads(testbed.file.read_text())
    assert said["clusterMetadataList"] == [
        {
            "clusterId": "eu-1",
            "bootstrapServers": "b1:9092",
            "topics": ["a", "b"],
            "properties": {"security.protocol": "SSL"},
            "startingOffsets": "latest",
            "endingOffsets": '{"a":{"0":5}}',
            "continues": ["eu-0", "eu-00"],
            "paused": ["a"],
        }
    ]
    (inactive,) = entries([KafkaStream("orders", {"eu-1": paused})], inactive=["eu-1"])
    assert inactive["clusterMetadataList"][0]["active"] is False


class AnalysisException(Exception):  # noqa: N818 - Spark's own name
    """As Spark raises where a table is not there."""


class Query:
    """One that has all there is at the second look."""

    def __init__(self, failure: Exception | None = None, late: Callable[[], None] = lambda: None) -> None:
        self.isActive = True
        self._failure, self._late = failure, late

    def exception(self) -> Exception | None:
        return self._failure

    def processAllAvailable(self) -> None:  # noqa: N802 - Spark's own name
        self._late()


def test_rows_are_awaited_and_a_table_may_come_later() -> None:
    looks: Iterator[list[str] | Exception] = iter([AnalysisException("no table"), ["b"], ["b", "a"]])

    def read() -> list[str]:
        seen = next(looks)
        if isinstance(seen, Exception):
            raise seen
        return seen

    assert_each_once(read, ["a", "b"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["a", "b", "b"], "1 more than once: 'b'"),
        (["a", "b", "c"], "1 never written: 'c'"),
        (["a"], "Not within 0 s: each record has come. Seen last: 1 missing: 'b'"),
        ([], "2 missing: 'a', 'b'"),
    ],
)
def test_what_is_wrong_is_said(rows: list[str], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        assert_each_once(lambda: rows, ["a", "b"], within=0)


def test_a_list_that_is_long_is_cut() -> None:
    with pytest.raises(AssertionError, match=r"^9 more than once: '0', '1', '2', '3', '4', …\.$"):
        assert_each_once(lambda: [*"012345678"] * 2, "012345678")


def test_a_record_that_is_meant_twice_comes_twice() -> None:
    assert_each_once(lambda: ["a", "a"], ["a", "a"])
    with pytest.raises(AssertionError, match="1 missing: 'a'"):
        assert_each_once(lambda: ["a"], ["a", "a"], within=0)


def test_nothing_written_shows_nothing() -> None:
    with pytest.raises(AssertionError, match="Nothing was written"):
        assert_each_once(lambda: [], [])


def test_a_row_that_comes_once_more_with_the_next_batch_is_seen() -> None:
    rows = ["a"]
    query = cast("Any", Query(late=lambda: rows.append("a")))
    with pytest.raises(AssertionError, match="1 more than once: 'a'"):
        assert_each_once(lambda: rows, ["a"], query=query)


def test_a_query_that_failed_is_not_waited_for() -> None:
    with pytest.raises(OSError, match="it failed"):
        assert_each_once(lambda: [], ["a"], query=cast("Any", Query(OSError("it failed"))))


def test_pytest_loads_the_plugin_and_nothing_of_ours_until_a_fixture_is_used() -> None:
    heavy = "('pyspark', 'py4j', 'confluent_kafka', 'dynamic_kafka')"
    code = f"import sys, dynamic_kafka_pytest; print([one for one in sys.modules if one.split('.')[0] in {heavy}])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_without_confluent_kafka_it_says_what_to_install() -> None:
    without = "from importlib import util; util.find_spec = lambda _: None; import dynamic_kafka.testing"
    ended = subprocess.run([sys.executable, "-c", without], check=False, capture_output=True, text=True)
    assert "needs confluent-kafka. Install it: pip install 'dynamic-kafka-spark[testing]'" in ended.stderr


@pytest.mark.parametrize("name", ["KafkaCluster", "KafkaTestbed", "Record", "assert_each_once", "eventually"])
def test_an_example_in_a_docstring_is_true(name: str, testbed: KafkaTestbed) -> None:
    names = {**vars(testing), "kafka_testbed": testbed}
    found = doctest.DocTestParser().get_doctest(inspect.getdoc(getattr(testing, name)) or "", names, name, None, None)
    assert found.examples, "there is no example"
    shown: list[str] = []
    assert not doctest.DocTestRunner().run(found, out=shown.append).failed, "".join(shown)
