"""`unreadableRangePolicy=defer`: a busy cluster dies while a batch runs. The rest keeps coming, each record once."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.listing import on
from tests.scenarios.producing import write
from tests.scenarios.queries import value_of
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


class Tables:
    """A query on a and b, whose function writes each batch into so many tables, by an action for each. A table that has
    a batch skips it. ``before`` is called once, before the next action on this table."""

    def __init__(self, frame: DataFrame, checkpoint: Path, count: int) -> None:
        self.tables: list[dict[int, list[str]]] = [{} for _ in range(count)]
        self.came: dict[str, float] = {}
        self.before: dict[int, Callable[[], object]] = {}
        self.first: Callable[[DataFrame], object] = lambda frame: None
        self._frame, self._checkpoint = frame, checkpoint

    def start(self) -> None:
        writer = self._frame.writeStream.option("checkpointLocation", str(self._checkpoint)).foreachBatch(self._write)
        self.query = writer.start()

    def _write(self, frame: DataFrame, batch: int) -> None:
        self.first(frame)
        for number, table in enumerate(self.tables):
            self.before.pop(number, lambda: None)()
            rows = [value_of(row) for row in frame.collect()]
            table.setdefault(batch, rows)
            now = time.monotonic()
            self.came.update({value: now for value in rows if value not in self.came})

    def values(self, number: int) -> list[str]:
        return sorted(value for rows in self.tables[number].values() for value in rows)

    def awaits(self, expected: list[str], within: float = 60.0) -> None:
        def seen() -> list[list[str]]:
            failure = self.query.exception()
            if failure is not None:
                raise failure
            return [self.values(number) for number in range(len(self.tables))]

        wanted = [sorted(expected)] * len(self.tables)
        eventually("all tables have all", seen, until=lambda now: now == wanted, within=within)

    def awaits_metrics(self, what: str, until: Callable[[dict[str, str]], object]) -> dict[str, str]:
        """Those of the source in the last progress, once they are so."""

        def seen() -> dict[str, str]:
            progress = self.query.lastProgress
            return {} if progress is None else dict(progress.sources[0].metrics)

        return eventually(what, seen, until=until, within=60)

    def awaits_among(self, expected: list[str], within: float = 60.0) -> None:
        def missing() -> set[str]:
            failure = self.query.exception()
            if failure is not None:
                raise failure
            return {value for number in range(len(self.tables)) for value in set(expected) - set(self.values(number))}

        eventually("all tables have these; missing", missing, until=lambda left: not left, within=within)


@pytest.fixture
def partitions_of_topic() -> int:
    return 2


@pytest.fixture
def query(
    request: pytest.FixtureRequest, a: KafkaCluster, b: KafkaCluster, topic: str, scene: Scene, tmp_path: Path
) -> Iterator[Tables]:
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    read = scene.read("orders").unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    frame = read.cluster_request_timeout("3s").cluster_read_timeout("4s").load()
    running = Tables(frame, tmp_path / "checkpoint", request.param)
    running.start()
    yield running
    running.query.stop()


ONE_TABLE = pytest.mark.parametrize("query", [1], indirect=True, ids=["one-table"])
TWO_TABLES = pytest.mark.parametrize("query", [2], indirect=True, ids=["two-tables"])


def values(cluster: str, numbers: range) -> list[str]:
    return [f"{cluster}-{number}" for number in numbers]


@ONE_TABLE
@pytest.mark.parametrize("kill", [False, True], ids=["frozen", "killed"])
def test_a_cluster_that_dies_in_a_batch_goes_back_and_the_rest_keeps_coming(
    a: KafkaCluster, b: KafkaCluster, topic: str, query: Tables, log: SessionLog, kill: bool
) -> None:
    expected = [*write(a, topic, *values("a", range(10))), *write(b, topic, *values("b", range(10)))]
    query.awaits(expected)
    query.query.stop()
    new = [*write(b, topic, *values("b", range(10, 20))), *write(a, topic, *values("a", range(10, 20)))]
    query.before[0] = b.kill if kill else b.pause
    query.start()
    query.awaits_among([value for value in new if value.startswith("a")])
    warning = log.await_line("WARN .*unreadableRangePolicy=defer defers")
    assert "cluster=b" in warning, warning
    # While it is away, the others come as always.
    more = write(a, topic, *values("a", range(20, 30)))
    began = time.monotonic()
    query.awaits_among(more)
    assert time.monotonic() - began < 20
    deferred = query.awaits_metrics("some of b are deferred", lambda seen: "cluster.b.deferredRecords" in seen)
    batch, parts = deferred["cluster.b.deferredInBatch"], deferred["cluster.b.deferredPartitions"]
    records = deferred["cluster.b.deferredRecords"]
    said = deferred["cluster.b.lastDeferral"]
    assert f"of batch {batch}: " in warning, warning
    assert said.startswith(f"deferred in batch {batch}: {parts} partition"), said
    assert f" of b, {records} record" in said, said
    assert "(DYNAMIC_KAFKA_CLUSTER_UNREACHABLE)" in said, said
    if kill:
        b.start()
    else:
        b.resume()
    query.awaits([*expected, *new, *more])
    good = query.awaits_metrics(
        "it is made good", lambda seen: "made good at" in seen.get("cluster.b.lastDeferral", "")
    )
    assert good["cluster.b.lastDeferral"].startswith(said)
    assert not {name for name in good if name.startswith("cluster.b.deferred")}
    assert said in log.await_line("INFO .*Made good: ")


@ONE_TABLE
def test_an_action_that_wants_some_rows_alone_ends_and_the_next_one_reads_all(
    a: KafkaCluster, b: KafkaCluster, topic: str, query: Tables, log: SessionLog
) -> None:
    some: list[str] = []
    query.first = lambda frame: some.extend(value_of(row) for row in frame.limit(3).collect())
    expected = [*write(a, topic, *values("a", range(10))), *write(b, topic, *values("b", range(10)))]
    query.awaits(expected)
    assert some, "no batch had a row"
    assert set(some) <= set(expected)
    assert not log.lines("the driver does not answer")


@TWO_TABLES
def test_a_second_table_that_can_not_get_what_the_first_one_has_ends_the_query_and_gets_it_after_a_restart(
    a: KafkaCluster, b: KafkaCluster, topic: str, query: Tables, log: SessionLog
) -> None:
    expected = [*write(a, topic, *values("a", range(10))), *write(b, topic, *values("b", range(10)))]
    query.awaits(expected)
    query.query.stop()
    new = [*write(a, topic, *values("a", range(10, 20))), *write(b, topic, *values("b", range(10, 20)))]
    query.before[1] = b.pause
    query.start()
    eventually("the query ends", lambda: query.query.exception(), until=lambda failure: failure is not None, within=60)
    assert "CLUSTER_UNREACHABLE" in str(query.query.exception())
    b.resume()
    query.start()
    query.awaits([*expected, *new])


def test_with_asynchronous_progress_a_running_batch_gives_nothing_back_and_a_warning_says_so(
    a: KafkaCluster, topic: str, scene: Scene, tmp_path: Path, log: SessionLog
) -> None:
    scene.publish("orders", {"a": on(a, topic)})
    write(a, topic, *values("a", range(10)))
    read = scene.read("orders").unavailable_cluster_policy("skip").unreadable_range_policy("defer")
    writer = read.load().writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.option("asyncProgressTrackingEnabled", "true").start()
    try:
        log.await_line("WARN .*Spark logs only some offsets of this query")
        log.await_line("WARN .*unreadableRangePolicy=defer does not act on a running batch")
    finally:
        query.stop()
