"""A batch that is logged and can't be read again: the error says the way out, which loses what it names and no more."""

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from dynamic_kafka.errors import ClusterNotListedError, ClusterUnreachableError, DynamicKafkaError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running

Name = Callable[[str], str]

# Its quotes must survive the shell and Python, into which the error's text is pasted.
ODD = 'it\'s "b\\1"'
KEY = "spark.datasource.dynamic-kafka.abandonClusters"


class Story:
    """A stream on a, b and c whose query was killed before it committed a batch with two records of each."""

    def __init__(self, name: str, clusters: dict[str, KafkaCluster], program: ProgramListing, queries: Queries) -> None:
        self.name, self.clusters, self._program, self._queries = name, clusters, program, queries
        self.expected = {key: write(cluster, name, f"{key} 1", f"{key} 2") for key, cluster in clusters.items()}

    def lists(self, *with_topic: str, bare: tuple[str, ...] = ()) -> None:
        topics = {key: on(self.clusters[key], self.name) for key in with_topic}
        self._program.publish("orders", topics | {key: on(self.clusters[key]) for key in bare})

    def killed(self, builder: DynamicKafkaSourceBuilder) -> Running:
        running = self._queries.start(builder.load())
        running.await_values(self.values(*self.clusters))
        batch = running.leave_over()
        assert {row["cluster"] for row in running.batches[batch]} == set(self.clusters)
        return running

    def values(self, *keys: str) -> list[str]:
        return [value for key in keys for value in self.expected[key]]

    def write(self, key: str, value: str) -> None:
        self.expected[key] += write(self.clusters[key], self.name, value)


@pytest.fixture
def story(
    a: KafkaCluster,
    b: KafkaCluster,
    c: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
    fresh_name: Name,
) -> Story:
    topic = fresh_name("topic")
    clusters = {"a": a, ODD: b, "c": c}
    for cluster in clusters.values():
        cluster.create_topic(topic)
    story = Story(topic, clusters, program, queries)
    story.lists("a", ODD, "c")
    return story


@pytest.fixture
def session_option(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """Sets the option for all queries of the session, as the command line does."""
    yield lambda value: spark.conf.set(KEY, value)
    spark.conf.unset(KEY)


def pasted(error: DynamicKafkaError) -> dict[str, str]:
    """The option's value by the error's text, which has it in three forms that mean the same."""
    text = str(error)
    shell = re.search(rf"--conf ('{re.escape(KEY)}=.*?), or \.option\(", text)
    literal = re.search(r"or \.option\(\"abandonClusters\", ('.*?')\), or ", text)
    mapping = re.search(r"or \.abandon_clusters\((\{.*?\})\)", text)
    assert shell is not None, text
    assert literal is not None, text
    assert mapping is not None, text
    (value,) = shlex.split(shell[1])
    tokens: dict[str, str] = json.loads(value.removeprefix(f"{KEY}="))
    assert json.loads(ast.literal_eval(literal[1])) == ast.literal_eval(mapping[1]) == tokens
    return tokens


def warnings(log: Path, since: int) -> list[str]:
    """What the option had to say, after so many bytes of the session's log."""
    with log.open("rb") as lines:
        lines.seek(since)
        return [line.decode() for line in lines if b" WARN " in line and b"abandonClusters" in line]


def test_listing_the_cluster_again_for_its_address_loses_nothing_and_a_wrong_token_changes_nothing(
    story: Story, program: ProgramListing, queries: Queries, source: Source
) -> None:
    builder = source(program.service, "orders")
    running = story.killed(builder)
    first = {batch: sorted(rows) for batch, rows in running.batches.items()}
    story.lists("a", "c")
    error = queries.start(builder.load(), after=running).await_failure()
    assert isinstance(error, ClusterNotListedError)
    assert f"cluster={ODD} topic={story.name} partition=0 offsets=0 until 2" in str(error)
    assert "topics: []" in str(error)
    assert pasted(error) == error.tokens == {ODD: error.token}
    assert (error.cluster, error.topic, error.partition) == (ODD, story.name, 0)
    wrong = source(program.service, "orders").abandon_clusters({ODD: "0123456789abcdef", "a": "0123456789abcdef"})
    assert str(queries.start(wrong.load(), after=running).await_failure()) == str(error)
    story.lists("a", "c", bare=(ODD,))
    again = queries.start(builder.load(), after=running)
    again.await_values(story.values("a", ODD, "c"))
    assert {batch: sorted(again.batches[batch]) for batch in first} == first
    again.await_metric("abandonedRecords", lambda seen: seen == "0")


def test_the_option_pasted_from_the_error_gives_up_what_it_names_and_not_a_record_more(
    story: Story, program: ProgramListing, queries: Queries, source: Source, spark_folder: Path
) -> None:
    builder = source(program.service, "orders")
    running = story.killed(builder)
    story.lists("a")
    error = queries.start(builder.load(), after=running).await_failure()
    tokens = pasted(error)
    assert sorted(tokens) == ["c", ODD]
    log = spark_folder / "spark.log"
    since = log.stat().st_size
    # Written while the batch was left over: not part of it.
    story.write("a", "a 3")
    builder.abandon_clusters(tokens)
    going = queries.start(builder.load(), after=running)
    going.await_values(story.values("a"))
    going.await_metric("abandonedRecords", lambda seen: seen == "4")
    warned = warnings(log, since)
    assert len(warned) == 2
    assert all("2 records" in line and "offsets=0 until 2" in line for line in warned)
    going.stop_between_batches()
    since = log.stat().st_size
    left = queries.start(builder.load(), after=going)
    story.write("a", "a 4")
    left.await_values(story.values("a"))
    left.await_metric("abandonedRecords", lambda seen: seen == "0")
    assert ["fits no left-over batch" in line for line in warnings(log, since)] == [True, True]
    # What was given up stays so, and the cluster goes on after it.
    story.expected[ODD] = []
    story.write(ODD, "b 3")
    story.lists("a", ODD)
    left.await_values(story.values("a", ODD))


def test_clusters_that_are_dead_for_good_are_given_up_one_after_the_other(
    story: Story,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    session_option: Callable[[str], None],
) -> None:
    builder = source(program.service, "orders").cluster_read_timeout("3s").cluster_request_timeout("3s")
    builder.unavailable_cluster_policy("skip")
    running = story.killed(builder)
    for key in (ODD, "c"):
        story.clusters[key].kill()
    given: dict[str, str] = {}
    for _ in range(2):
        error = queries.start(builder.load(), after=running).await_failure()
        assert isinstance(error, ClusterUnreachableError)
        tokens = pasted(error)
        assert tokens.items() > given.items(), "each error adds one cluster to those given up before"
        given = tokens
        session_option(json.dumps(given))
    assert sorted(given) == ["c", ODD]
    going = queries.start(builder.load(), after=running)
    story.write("a", "a 3")
    going.await_values(story.values("a"))
    going.await_metric("abandonedRecords", lambda seen: seen == "4")
    going.await_state("c", "unavailable")
