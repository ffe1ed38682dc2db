"""Clusters that come, go and return: recipes of docs/migrations.md, each by the test of its name."""

from collections import Counter

import pytest

from tests.cluster import KafkaCluster
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write


@pytest.fixture
def topic(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> str:
    """The topic of the stream, created on a and on b."""
    operator.creates(a, b)
    return operator.topic


def test_add_a_cluster_for_its_new_records_alone(
    operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster
) -> None:
    left_out = write(b, topic, *numbered("before ", 50))
    operator.lists(a)
    with operator.producing(a) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(a, b=operator.on(b, starting="latest"))
        running.await_state("b", "reading")
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    assert not set(left_out) & set(running.values())


def test_roll_out_metadata_that_flaps(operator: Operator, topic: str, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts()
        running.await_rows_of("b")
        for _ in range(2):
            operator.lists(a)
            running.await_metric("kafkaClustersCount", lambda seen: seen == "1")
            operator.lists(a, b)
            running.await_state("b", "reading")
        running.await_rows_of("b", 10)
    running.await_values(ids.written())
    held = running.offset()["clusters"]["b"]["topics"][topic]["partitions"].values()
    assert Counter(position[2] for position in held) == {0: 2}
