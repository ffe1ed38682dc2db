"""A batch that is logged and can't be read again: the error says how to go on without losing a record."""

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from dynamic_kafka.errors import ClusterNotListedError

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene

# Its quotes survive the error's text and its fields.
ODD = 'it\'s "b\\1"'


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


def test_listing_the_cluster_again_for_its_address_loses_nothing(story: Story, scene: Scene) -> None:
    builder = scene.read("orders")
    running = story.killed(builder)
    first = {batch: sorted(rows) for batch, rows in running.batches.items()}
    story.lists("a", "c")
    error = scene.start(builder.load(), after=running).await_failure()
    assert isinstance(error, ClusterNotListedError)
    assert f"cluster={ODD} topic={story.name} partition=0 offsets=0 until 2" in str(error)
    assert "topics: []" in str(error)
    assert (error.cluster, error.topic, error.partition) == (ODD, story.name, 0)
    story.lists("a", "c", bare=(ODD,))
    again = scene.start(builder.load(), after=running)
    again.await_values(story.values("a", ODD, "c"))
    assert {batch: sorted(again.batches[batch]) for batch in first} == first
    again.await_metric("abandonedRecords", lambda seen: seen == "0")
