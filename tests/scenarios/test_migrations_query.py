"""The query ends and starts while clusters change: recipes of docs/migrations.md, each by the test of its name."""

from tests.cluster import KafkaCluster
from tests.scenarios.listing import on
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import value_of
from tests.scenarios.session_log import SessionLog


def test_list_a_cluster_again_that_was_removed_too_early(
    operator: Operator, a: KafkaCluster, b: KafkaCluster, log: SessionLog
) -> None:
    operator.creates(a, b)
    backlog = write(b, operator.topic, *numbered("backlog ", 60))
    operator.lists(a, b)
    with operator.producing(a) as ids:
        # Stopped between two batches: none is left over that would need the cluster.
        running = operator.starts(operator.read().max_offsets_per_trigger(10), processingTime="10 seconds")
        running.await_rows_of("b")
        running.stop_between_batches()
        operator.lists(a)
        running = operator.starts(after=running)
        assert "topics: []" in log.await_line("CLUSTER_NOT_LISTED.*Cluster b")
        running.await_rows_of("a", 20)
        running.await_state("b", "draining")
        operator.lists(a, b=on(b))
        log.await_line(f"drain ended cluster=b .*topic={operator.topic}")
        operator.lists(a)
        running.await_rows_of("a")
    running.await_values(backlog + ids.written())


def test_read_an_uncommitted_batch_of_a_removed_cluster(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.creates(a, b)
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts(processingTime="2 seconds")
        running.await_rows_of("b", 10)
        running.leave_over()
        ids.move(*operator.writes_to(a))
        operator.lists(a)
        error = operator.starts(after=running).await_failure()
        assert error.condition == "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED"
        assert "topics: []" in str(error)
        operator.lists(a, b=on(b))
        running = operator.starts(after=running)
        running.await_rows_of("a", 20)
        operator.lists(a)
        running.await_rows_of("a")
    running.await_values(ids.written())


def test_give_up_a_cluster_that_is_dead_for_good(
    operator: Operator, a: KafkaCluster, b: KafkaCluster, log: SessionLog
) -> None:
    operator.creates(a, b)
    operator.lists(a, b)
    read = operator.read().unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    read = read.cluster_request_timeout("3s")
    with operator.producing(a) as ids:
        running = operator.starts(read, processingTime="2 seconds")
        running.await_rows_of("a")
        running.await_committed()
        last_words = write(b, operator.topic, *numbered("last words ", 5))
        running.await_among(last_words)
        running.leave_over()
        # The sink had not finished it.
        given_up = [value_of(row) for row in running.batches.popitem()[1] if row["cluster"] == "b"]
        b.pause()
        # Taken off too early: nobody knows its address after a restart.
        operator.lists(a)
        running = operator.starts(read, after=running)
        running.await_metric("deferredRecords", lambda seen: seen == str(len(given_up)))
        operator.lists(a, b=on(b))
        running.await_metric("cluster.b.cause", lambda seen: "CLUSTER_UNREACHABLE" in (seen or ""))
        operator.lists(a)
        running.await_metric("abandonedRecords", lambda seen: seen == str(len(given_up)))
        running.await_metric("deferredRecords", lambda seen: seen == "0")
        log.await_line(f"WARN .*Draining topic {operator.topic} of cluster b ended before its target")
        running.await_rows_of("a", 20)
    running.await_values(set(ids.written() + last_words) - set(given_up))
