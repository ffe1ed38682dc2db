"""What is paused is held: recipes of docs/migrations.md, each by the test of its name."""

from tests.cluster import KafkaCluster
from tests.cluster.mirror import Mirror
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator, finishes
from tests.scenarios.producing import IdProducer


def test_pause_a_topic(operator: Operator, a: KafkaCluster) -> None:
    operator.creates(a)
    other = f"{operator.topic}-other"
    a.create_topic(other)
    operator.lists(a=on(a, operator.topic, other))
    with IdProducer((a, operator.topic), (a, other)) as ids:
        running = operator.starts()
        running.await_rows_of("a", 20)
        operator.lists(a=on(a, operator.topic, other, paused=[other]))
        # More than a batch holds while all is read.
        running.await_metric("cluster.a.pendingRecords", lambda seen: int(seen or 0) > 200)
        running.await_answers()
        held = sum(row["topic"] == other for row in running.rows())
        running.await_rows_of("a", 40)
        assert sum(row["topic"] == other for row in running.rows()) == held
        operator.lists(a=on(a, operator.topic, other))
        running.await_rows_of("a", 40)
    running.await_values(ids.written())


def test_pause_a_cluster_for_a_cut_over(operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> None:
    operator.creates(a, b, c)
    operator.lists(a, c)
    with operator.producing(a, c) as ids, Mirror(a, b, operator.topic) as mirror:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(c, a=operator.on(a, paused=True), b=operator.on(b, continues="a"))
        running.await_state("a", "paused")
        running.await_state("b", "standby")
        # Producers need not stop for the query: what they write is behind its positions.
        ids.await_more(20)
        ids.move(*operator.writes_to(c))
        finishes(mirror, running)
        operator.lists(c, b=operator.on(b, continues="a"))
        ids.move(*operator.writes_to(b, c))
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    assert {row["cluster"] for row in running.rows()} == {"a", "b", "c"}
    assert running.metrics()["abandonedRecords"] == "0"
