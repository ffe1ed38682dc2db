"""Streams that move from cluster to cluster: recipes of docs/migrations.md, each by the test of its name."""

import json
import threading
import time

from tests.cluster import KafkaCluster
from tests.scenarios.listing import exact
from tests.scenarios.operating import Operator
from tests.scenarios.producing import IdProducer, Mirrored, write
from tests.scenarios.session_log import SessionLog


def test_cut_over_at_an_offset(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.creates(a, b)
    # The mirror has offsets of its own.
    ahead = {0: 7, 1: 3}
    for partition, count in ahead.items():
        write(b, operator.topic, *["not of the stream"] * count, partition=partition)
    operator.lists(a)
    with IdProducer((Mirrored(a, b, partitions=2), operator.topic)) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        ends = {partition: end + 400 for partition, end in a.end_offsets(operator.topic).items()}
        begins = {partition: end + ahead[partition] for partition, end in ends.items()}
        operator.lists(
            a=operator.on(a, ending=exact(operator.topic, ends)),
            b=operator.on(b, starting=exact(operator.topic, begins)),
        )
        running.await_state("a", "finished")
        running.await_rows_of("b")
        ids.move(*operator.writes_to(b))
        operator.lists(b)
        running.await_state("a", None)
        running.await_rows_of("b", 20)
    running.await_values(ids.written())


def test_cut_over_at_a_time(operator: Operator, a: KafkaCluster, b: KafkaCluster) -> None:
    operator.creates(a, b)
    operator.lists(a)
    with IdProducer((Mirrored(a, b, partitions=2), operator.topic)) as ids:
        running = operator.starts()
        running.await_rows_of("a")
        then = json.dumps({"timestamp": int(time.time() * 1000) + 6000})
        operator.lists(a=operator.on(a, ending=then))
        running.await_state("a", "finished")
        # Only now does b hold records of that time and later.
        operator.lists(a=operator.on(a, ending=then), b=operator.on(b, starting=then))
        running.await_rows_of("b")
        ids.move(*operator.writes_to(b))
        operator.lists(b)
        running.await_state("a", None)
        running.await_rows_of("b", 20)
    running.await_values(ids.written())
    assert {row["cluster"] for row in running.rows()} == {"a", "b"}


def test_fail_over_to_another_cluster(operator: Operator, a: KafkaCluster, b: KafkaCluster, log: SessionLog) -> None:
    operator.creates(a, b)
    operator.lists(a)
    patient = operator.read().unavailable_cluster_policy("skip").cluster_request_timeout("1s")
    due, last_words = threading.Event(), list[str]()
    with operator.producing(a) as ids:

        def fails() -> None:
            ids.move(*operator.writes_to(b))
            last_words.extend(write(a, operator.topic, "last words"))
            a.kill()

        # The cluster dies between two batches: none needs it that is logged.
        running = operator.starts(patient, between=lambda: fails() if due.is_set() and not last_words else None)
        running.await_rows_of("a")
        due.set()
        running.await_state("a", "unavailable")
        assert "positions are held" in log.await_line("CLUSTER_UNREACHABLE.* a[ .]")
        operator.lists(a, b, inactive=["a"])
        running.await_rows_of("b", 20)
        running.await_state("a", "inactive")
        running.await_metric("unavailableClusters", lambda seen: seen == "0")
        a.start()
        running.await_rows_of("a")
        operator.lists(a, b)
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("a", 10)
    running.await_values(ids.written() + last_words)


def test_start_while_a_cluster_is_down(operator: Operator, a: KafkaCluster, b: KafkaCluster, log: SessionLog) -> None:
    operator.creates(a, b)
    waiting = write(b, operator.topic, "before the start")
    operator.lists(a, b)
    b.pause()
    with operator.producing(a) as ids:
        running = operator.starts(operator.read().unavailable_cluster_policy("skip").cluster_request_timeout("1s"))
        running.await_rows_of("a")
        running.await_state("b", "pending")
        running.stop()
        running = operator.starts(
            operator.read().unavailable_cluster_policy("skip").cluster_request_timeout("1s"), after=running
        )
        running.await_state("b", "pending")
        b.resume()
        ids.move(*operator.writes_to(a, b))
        running.await_rows_of("b", 10)
    running.await_values(waiting + ids.written())
