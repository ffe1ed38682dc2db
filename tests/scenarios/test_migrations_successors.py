"""A cluster follows another with the same records: recipes of docs/migrations.md, each by the test of its name."""

import pytest

from tests.cluster import KafkaCluster
from tests.cluster.mirror import Mirror, await_ends
from tests.scenarios.listing import exact
from tests.scenarios.operating import Operator, finishes
from tests.scenarios.producing import IdProducer, Mirrored
from tests.scenarios.queries import Running
from tests.scenarios.session_log import SessionLog


def assert_nothing_given_up(running: Running) -> None:
    assert running.metrics()["abandonedRecords"] == "0"


def test_rename_a_cluster_back(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.creates(a, b)
    renamed = operator.on(b, continues="b")
    operator.lists(a, b)
    with operator.producing(a, b) as ids:
        running = operator.starts(operator.read().max_offsets_per_trigger(200))
        running.await_rows_of("b")
        operator.lists(a, eu2=renamed)
        running.await_rows_of("eu2", 20)
        running.await_state("eu2", "reading")
        running.await_state("b", None)
        # As it was, without a line.
        operator.lists(a, b)
        running.await_rows_of("b", 20)
        # With both listed nothing moves, until one of them goes.
        operator.lists(a, b, eu2=renamed)
        running.await_state("eu2", "standby")
        running.await_rows_of("b", 20)
        operator.lists(a, eu2=renamed)
        running.await_rows_of("eu2", 20)
        # The offset says it from now on.
        operator.lists(a, eu2=operator.on(b))
        running.await_rows_of("eu2", 20)
    running.await_values(ids.written())
    assert_nothing_given_up(running)


def test_let_a_mirror_take_over(operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> None:
    operator.creates(a, b, c)
    mirrored = operator.on(b, continues="a")
    operator.lists(a, c)
    with operator.producing(a, c) as ids, Mirror(a, b, operator.topic) as mirror:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(a, c, b=mirrored)
        running.await_state("b", "standby")
        # For long: batches come and go, and so does the query.
        running.await_rows_of("a", 20)
        running.stop()
        running = operator.starts(after=running)
        running.await_rows_of("a", 40)
        running.await_state("b", "standby")
        ids.move(*operator.writes_to(c))
        finishes(mirror, running)
        operator.lists(c, b=mirrored)
        ids.move(*operator.writes_to(b, c))
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    assert_nothing_given_up(running)


@pytest.mark.slow
def test_fail_over_to_a_mirror(operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> None:
    operator.creates(a, b, c)
    operator.lists(a, c)
    read = operator.read().cluster_request_timeout("3s").cluster_read_timeout("5s")
    with operator.producing(a, c) as ids, Mirror(a, b, operator.topic) as mirror:
        running = operator.starts(read, processingTime="2 seconds")
        running.await_rows_of("a", 10)
        # The driver and the cluster die in the middle of a batch, which no sink has.
        batch = running.leave_over()
        planned = running.batches.pop(batch)
        ids.move(*operator.writes_to(c))
        mirror.await_caught_up()
        mirror.stop()
        ended = exact(operator.topic, b.end_offsets(operator.topic))
        a.kill()
        error = operator.starts(read, after=running).await_failure()
        assert error.condition == "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"
        operator.lists(c, b=operator.on(b, continues="a", starting=ended))
        running = operator.starts(read, after=running)
        ids.move(*operator.writes_to(b, c))
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    # Read of the mirror, and named as it was planned.
    assert "a" in {row["cluster"] for row in planned}
    places = ("cluster", "topic", "partition", "offset", "value")
    assert sorted([row[name] for name in places] for row in running.batches[batch]) == sorted(
        [row[name] for name in places] for row in planned
    )
    assert_nothing_given_up(running)


@pytest.mark.slow
def test_fail_over_to_a_mirror_that_lags(
    operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster, log: SessionLog
) -> None:
    operator.creates(a, b, c)
    operator.lists(a, c)
    with operator.producing(a, c) as ids, Mirror(a, b, operator.topic) as mirror:
        running = operator.starts(operator.read().unavailable_cluster_policy("skip").cluster_request_timeout("3s"))
        running.await_rows_of("a", 20)
        ended = mirror.pause()
        running.await_rows_of("a", 40)
        ids.move(*operator.writes_to(c))
        running.await_among(ids.written())
        running.await_committed()
        position = a.end_offsets(operator.topic)
        a.kill()
        running.await_state("a", "unavailable")
        operator.lists(c, b=operator.on(b, continues="a"))
        cause = running.await_metric("cluster.b.cause", lambda seen: seen and "MIRROR_BEHIND" in seen)
        behind = {str(offset) for at in position if ended[at] < position[at] for offset in (ended[at], position[at])}
        assert any(offset in cause for offset in behind)
        log.await_line("WARN .*DYNAMIC_KAFKA_MIRROR_BEHIND.* b[ ,.]")
        # Producers fill the gap with other records, which nobody can distinguish from the old ones.
        ids.move(*operator.writes_to(b, c))
        await_ends(b, operator.topic, {at: offset + 10 for at, offset in position.items()})
        running.await_answers()
        assert "b" not in {row["cluster"] for row in running.rows()}
        operator.lists(c, b=operator.on(b, continues="a", starting=exact(operator.topic, ended)))
        running.await_rows_of("b", 20)
        running.await_metric("cluster.b.cause", lambda seen: seen is None)
    running.await_values(ids.written())


@pytest.mark.long
def test_fail_back_to_the_first_cluster(operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster) -> None:
    operator.creates(a, b, c)
    mirrored = operator.on(b, continues="a")
    operator.lists(a, c, b=mirrored)
    with operator.producing(a, c) as ids:
        with Mirror(a, b, operator.topic) as mirror:
            running = operator.starts()
            running.await_rows_of("a", 20)
            ids.move(*operator.writes_to(c))
            finishes(mirror, running)
        operator.lists(c, b=mirrored)
        ids.move(*operator.writes_to(b, c))
        running.await_rows_of("b", 20)
        # The other way round: what b has got since goes to a.
        with Mirror(b, a, operator.topic) as back:
            operator.lists(a, c, b=mirrored)
            running.await_state("a", "standby")
            running.await_rows_of("b", 20)
            ids.move(*operator.writes_to(c))
            finishes(back, running)
        operator.lists(a, c)
        ids.move(*operator.writes_to(a, c))
        running.await_rows_of("a", 20)
    running.await_values(ids.written())
    assert_nothing_given_up(running)


def test_roll_back_a_file_that_names_a_successor(
    operator: Operator, a: KafkaCluster, b: KafkaCluster, c: KafkaCluster
) -> None:
    operator.creates(a, b, c)
    operator.lists(a, c)
    # Both are written to, first the one that is not read: it is never behind.
    with IdProducer((Mirrored(b, a, partitions=2), operator.topic), (c, operator.topic)) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        operator.lists(c, b=operator.on(b, continues="a"))
        running.await_rows_of("b", 20)
        ids.move(*operator.writes_to(c))
        running.await_among(ids.written())
        running.await_answers()
        operator.lists(a, c)
        ids.move((Mirrored(a, b, partitions=2), operator.topic), (c, operator.topic))
        running.await_rows_of("a", 20)
        # A restart finds nothing of the line, and needs nothing of it.
        running.stop()
        running = operator.starts(after=running)
        running.await_rows_of("a", 20)
    running.await_values(ids.written())
    assert_nothing_given_up(running)
