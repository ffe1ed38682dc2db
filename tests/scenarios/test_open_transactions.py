"""What an open transaction holds back where only committed records are read, and what becomes of it."""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer
from dynamic_kafka import DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.producing import write
from tests.scenarios.queries import Queries, value_of
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog

pytestmark = pytest.mark.wire

Builder = Callable[..., DynamicKafkaSourceBuilder]
# A broker ends by itself what stays open for longer.
_PATIENT = {"transaction.timeout.ms": 600_000}


@pytest.fixture
def committed(source: Source) -> Builder:
    """A builder of a read of committed records alone."""
    return lambda *of: source(*of).kafka_property("isolation.level", "read_committed")


@pytest.fixture
def held(a: KafkaCluster, program: ProgramListing, fresh_name: Name) -> str:
    """A topic with two partitions on a, which is the stream of that name."""
    name = fresh_name("held")
    a.create_topic(name, partitions=2)
    program.publish(name, {"a": on(a, name)})
    return name


@contextmanager
def transaction(cluster: KafkaCluster, topic: str, *values: str, times: Sequence[int] = ()) -> Iterator[Producer]:
    """A transaction that holds these records in partition 0, of these times if any are given (milliseconds since the
    epoch), and is open, to be committed or aborted."""
    producer = Producer(
        {"bootstrap.servers": cluster.second_address, "transactional.id": f"open-{topic}", "log_level": 0, **_PATIENT}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    for value, at in itertools.zip_longest(values, times, fillvalue=0):
        producer.produce(topic, value=str(value), partition=0, timestamp=int(at))
    assert producer.flush(30) == 0
    yield producer


def test_an_open_transaction_holds_back_what_follows_it_in_its_partition_and_nothing_else(
    a: KafkaCluster, committed: Builder, scene: Scene, held: str
) -> None:
    def read() -> DynamicKafkaSourceBuilder:
        return committed(scene.service, held)

    expected = write(a, held, "before", partition=0) + write(a, held, "beside 0", partition=1)
    running = scene.start(read().load())
    running.await_values(expected)
    for end in ("commit", "abort"):
        inside = [f"{end} 1", f"{end} 2"]
        with transaction(a, held, *inside) as open_one:
            after = write(a, held, f"after {end}", partition=0)
            # Batches go on, and what is held back is not even waited for: it is not there yet.
            for number in range(2):
                expected += write(a, held, f"beside {end} {number}", partition=1)
                running.await_values(expected)
            running.await_metric("pendingRecords", lambda seen: seen == "0")
            assert Counter(map(value_of, read().bounded().load().collect())) == Counter(expected)
            ending = scene.start(read().load(), availableNow=True)
            ending.await_end()
            ending.await_values(expected)
            uncommitted = scene.read(held).kafka_property("isolation.level", "read_uncommitted")
            seen = {value_of(row) for row in uncommitted.bounded().load().collect()}
            assert seen >= {*expected, *inside, *after}
            # Where a query begins at the end, that is before what is held back.
            late = scene.start(read().starting_offsets("latest").load())
            late.await_metric("pendingRecords", lambda seen: seen == "0")
            open_one.commit_transaction(30) if end == "commit" else open_one.abort_transaction(30)
        ended = after + (inside if end == "commit" else [])
        late.await_values(ended)
        late.stop()
        expected += ended
        running.await_values(expected)
    assert running.offset()["clusters"]["a"]["topics"][held]["partitions"]["0"][1] == a.end_offsets(held)[0]


@pytest.mark.parametrize("end", ["commit", "abort"])
def test_a_drain_reads_what_an_open_transaction_held_back_at_the_removal(
    a: KafkaCluster,
    b: KafkaCluster,
    committed: Builder,
    program: ProgramListing,
    queries: Queries,
    fresh_name: Name,
    log: SessionLog,
    end: str,
) -> None:
    name = fresh_name("held")
    for cluster in (a, b):
        cluster.create_topic(name)
    program.publish(name, {"a": on(a, name), "b": on(b, name)})
    running = queries.start(committed(program.service, name).load())
    expected = write(b, name, "before")
    running.await_values(expected)
    with transaction(b, name, "inside") as open_one:
        behind = write(b, name, "written, and committed, behind it")
        program.publish(name, {"a": on(a, name), "b": on(b)})
        running.await_state("b", "draining")
        waits = f"drain waits for the end of an open transaction cluster=b heldBack=[0-9]+ topic={name}"
        assert "heldBack=2 " in log.await_line(waits)
        running.await_metric("cluster.b.cause", lambda seen: "open transaction" in (seen or ""))
        write(b, name, "after the removal")
        for number in range(3):
            expected += write(a, name, f"elsewhere {number}")
            running.await_values(expected)
        assert len(log.lines(waits)) == 1, "it is reported once, not in each batch"
        open_one.commit_transaction(30) if end == "commit" else open_one.abort_transaction(30)
    expected += behind + (["inside"] if end == "commit" else [])
    running.await_values(expected)
    log.await_line(f"drain ended cluster=b .*topic={name}")
    running.await_values(expected + write(a, name, "and on"))


def test_a_query_that_changes_to_committed_records_within_a_transaction_waits_for_its_end(
    a: KafkaCluster, committed: Builder, scene: Scene, held: str
) -> None:
    with transaction(a, held, "inside") as open_one:
        running = scene.start(scene.read(held).load())
        running.await_values(["inside"])
        running.stop_between_batches()
        limit = 5
        patient = committed(scene.service, held).cluster_request_timeout(f"{limit}s")
        again = scene.start(patient.load(), after=running)
        expected = ["inside", *write(a, held, "first", partition=1)]
        again.await_values(expected)
        # From the first look on, longer than it takes to be sure that a log was cut off.
        since = time.time() + limit + 1
        while not again.has_begun_a_trigger_since(since):
            expected += write(a, held, f"beside {len(expected)}", partition=1)
            again.await_values(expected)
        open_one.commit_transaction(30)
    again.await_values(expected + write(a, held, "after", partition=0))


def test_a_start_in_time_is_found_within_an_open_transaction(
    a: KafkaCluster, committed: Builder, program: ProgramListing, queries: Queries, held: str
) -> None:
    with transaction(a, held, "too early", "in time", times=(1_000, 5_000)) as open_one:
        running = queries.start(committed(program.service, held).starting_offsets({"timestamp": 3_000}).load())
        # Once the start is recorded there are batches.
        running.await_values(write(a, held, "beside", partition=1))
        open_one.commit_transaction(30)
    running.await_values(["in time", "beside"])


def test_an_uncommitted_batch_from_before_such_a_change_says_what_holds_it_up_and_is_read_in_the_end(
    a: KafkaCluster, committed: Builder, scene: Scene, held: str
) -> None:
    with transaction(a, held, "inside") as open_one:
        running = scene.start(scene.read(held).load())
        running.await_values(["inside"])
        running.leave_over()
        impatient = committed(scene.service, held).cluster_read_timeout("2s")
        waiting = scene.start(impatient.load(), after=running)
        error = waiting.await_failure()
        assert error.condition == "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"
        assert "an open transaction holds it up" in str(error)
        open_one.commit_transaction(30)
    again = scene.start(committed(scene.service, held).load(), after=waiting)
    again.await_values(["inside", *write(a, held, "after")])
