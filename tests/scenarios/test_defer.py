"""`unreadableRangePolicy=defer`: a batch runs without what can't be read now; each record comes once in the end."""

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka import DynamicKafkaSourceBuilder
from dynamic_kafka.errors import ClusterNotListedError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.batch_logs import BatchLogs
from tests.scenarios.conftest import Name, Source
from tests.scenarios.driver_process import DriverHere, DriverProcess, Table
from tests.scenarios.listing import FileListing, ProgramListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.session_log import SessionLog

EACH = 3


class Story:
    """A stream on a, b and c, whose query was killed before it committed a batch with records of each."""

    def __init__(
        self, topic: str, clusters: dict[str, KafkaCluster], program: ProgramListing, queries: Queries, source: Source
    ) -> None:
        self.topic, self.clusters, self.program, self._queries, self._source = topic, clusters, program, queries, source
        self.expected: list[str] = []
        self.lists("a", "b", "c")
        self.writes("a", "b", "c")

    def lists(self, *names: str) -> None:
        self.program.publish("orders", {name: on(self.clusters[name], self.topic) for name in names})

    def writes(self, *names: str) -> None:
        """So many records more on each."""
        for name in names:
            first = sum(value.startswith(f"{name}-") for value in self.expected)
            values = [f"{name}-{number}" for number in range(first, first + EACH)]
            self.expected += write(self.clusters[name], self.topic, *values)

    def of(self, *names: str) -> list[str]:
        return [value for value in self.expected if value.partition("-")[0] in names]

    def read(self, policy: str = "skip") -> DynamicKafkaSourceBuilder:
        builder = self._source(self.program.service, "orders").unavailable_cluster_policy(policy)  # type: ignore[arg-type]
        return builder.unreadable_range_policy("defer").cluster_request_timeout("3s").cluster_read_timeout("5s")

    def starts(self, after: Running | None = None, policy: str = "skip", **trigger: Any) -> Running:
        return self._queries.start(self.read(policy).load(), after=after, **trigger)

    def uncommitted(self) -> tuple[Running, int]:
        """The first batches, the last of which holds records of each cluster and is not committed."""
        running = self.starts(availableNow=True)
        running.await_end()
        self.writes("a", "b", "c")
        running = self.starts(after=running, availableNow=True)
        running.await_end()
        running.await_values(self.expected)
        batch = running.leave_over()
        # The sink had not finished it.
        rows = running.batches.pop(batch)
        assert {row["cluster"] for row in rows} == {"a", "b", "c"}
        return running, batch

    def ends(self, running: Running) -> None:
        """All is read, once, and nothing comes afterwards."""
        running.await_values(self.expected)
        running.await_metric("deferredRecords", lambda seen: seen == "0")
        running.await_metric("pendingRecords", lambda seen: seen == "0")
        running.stop_between_batches()
        once = self.starts(after=running, availableNow=True)
        once.await_end()
        assert sorted(once.values()) == sorted(self.expected)
        assert decided(once) == []


def decided(running: Running) -> list[dict[str, object]]:
    """The decisions that are kept."""
    return kept(running.checkpoint)


def kept(checkpoint: Path) -> list[dict[str, object]]:
    folder = checkpoint / "sources" / "0" / "deferred"
    found = [dict(json.loads(file.read_text())["deferred"]) for file in folder.glob("[0-9]*")]
    return [one for one in found if one]


def clusters_of(running: Running, batch: int) -> set[str]:
    return {row["cluster"] for row in running.batches[batch]}


@pytest.fixture
def story(
    a: KafkaCluster,
    b: KafkaCluster,
    c: KafkaCluster,
    program: ProgramListing,
    queries: Queries,
    source: Source,
    fresh_name: Name,
) -> Story:
    topic, clusters = fresh_name("topic"), {"a": a, "b": b, "c": c}
    for cluster in clusters.values():
        cluster.create_topic(topic, partitions=2)
    return Story(topic, clusters, program, queries, source)


def test_an_uncommitted_batch_runs_without_a_dead_cluster_whose_part_is_read_once_it_is_back(
    story: Story, log: SessionLog
) -> None:
    running, batch = story.uncommitted()
    story.clusters["c"].kill()
    running = story.starts(after=running)
    warning = log.await_line("WARN .*unreadableRangePolicy=defer defers")
    assert all(part in warning for part in ("cluster=c", f"{EACH} records", "may get them twice")), warning
    story.writes("a", "b")
    running.await_among(story.of("a", "b"))
    assert clusters_of(running, batch) == {"a", "b"}
    running.await_metric("deferredRecords", lambda seen: seen == str(EACH))
    running.await_metric("cluster.c.pendingRecords", lambda seen: seen == str(EACH))
    # Counted as well by a start that has given nothing back itself.
    running.stop_between_batches()
    running = story.starts(after=running)
    story.writes("a")
    running.await_among(story.of("a", "b"))
    running.await_metric("deferredRecords", lambda seen: seen == str(EACH))
    story.clusters["c"].start()
    story.writes("c")
    story.ends(running)


@pytest.mark.long
def test_a_cluster_that_dies_during_the_retry_is_deferred_too_and_what_was_deferred_stays_so(story: Story) -> None:
    running, batch = story.uncommitted()
    story.clusters["c"].kill()
    running = story.starts(after=running)
    running.await_among(story.of("a", "b"))
    # Killed between the decision and the commit: c is back by then, b is not, and a sink may know the batch without c.
    running.leave_over(batch)
    assert [set(one) for one in decided(running)] == [{"c"}]
    story.clusters["c"].start()
    story.clusters["b"].kill()
    running = story.starts(after=running)
    running.await_among(story.of("a", "c"))
    assert clusters_of(running, batch) == {"a"}
    running.leave_over(batch)
    assert [set(one) for one in decided(running)] == [{"b", "c"}]
    story.clusters["b"].start()
    # All answer, and the batch stays as it was decided.
    running = story.starts(after=running)
    running.await_values(story.expected)
    assert clusters_of(running, batch) == {"a"}
    story.ends(running)


def test_under_fail_what_is_not_listed_any_more_is_deferred_and_drained_once_it_is_listed(story: Story) -> None:
    running, batch = story.uncommitted()
    story.lists("a", "b")
    waits = story.read("fail").unreadable_range_policy("wait")
    error = story._queries.start(waits.load(), after=running).await_failure()
    assert isinstance(error, ClusterNotListedError)
    assert "unreadableRangePolicy=defer" in str(error)
    running = story.starts(after=running, policy="fail")
    story.writes("a", "b")
    running.await_among(story.of("a", "b"))
    assert clusters_of(running, batch) == {"a", "b"}
    running.await_metric("deferredRecords", lambda seen: seen == str(EACH))
    story.program.publish(
        "orders",
        {
            "a": on(story.clusters["a"], story.topic),
            "b": on(story.clusters["b"], story.topic),
            "c": on(story.clusters["c"]),
        },
    )
    running.await_values(story.expected)
    story.ends(running)


@pytest.mark.long
def test_under_fail_a_listed_cluster_that_is_down_fails_the_query_and_the_batch_is_read_whole_later(
    story: Story,
) -> None:
    running, batch = story.uncommitted()
    story.clusters["c"].kill()
    error = story.starts(after=running, policy="fail").await_failure()
    assert error.condition == "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"
    assert "unavailableClusterPolicy=skip" in str(error)
    assert decided(running) == []
    story.clusters["c"].start()
    running = story.starts(after=running, policy="fail")
    running.await_values(story.expected)
    assert clusters_of(running, batch) == {"a", "b", "c"}
    story.ends(running)


@pytest.mark.long
def test_a_driver_killed_after_the_decision_and_again_after_the_batch_loses_nothing_and_repeats_nothing(
    a: KafkaCluster, c: KafkaCluster, file: FileListing, spark: SparkSession, tmp_path: Path, fresh_name: Name
) -> None:
    stream, topic, folder = fresh_name("killed"), fresh_name("topic"), tmp_path / "driver"
    for cluster in (a, c):
        cluster.create_topic(topic, partitions=2)
    file.publish(stream, {"a": on(a, topic), "c": on(c, topic)})
    expected = write(a, topic, *numbered("a", 20)) + write(c, topic, *numbered("c", 20))
    table, logs = Table(folder), BatchLogs(folder / "checkpoint")
    options = {"unavailableClusterPolicy": "skip", "unreadableRangePolicy": "defer", "clusterRequestTimeout": "3s"}

    driver = partial(DriverProcess, file.path, stream, folder, **options)
    here = partial(DriverHere, spark, file.path, stream, folder, **options)

    def awaits(driver: DriverProcess | DriverHere, what: str, look: Callable[[], object]) -> None:
        def checked() -> object:
            driver.check()
            return look()

        eventually(what, checked, within=90)

    with here() as first:
        awaits(first, "all is committed", lambda: len(table.ids()) == 40 and logs.all_committed())
    batch = max(table.attempts())
    assert {row[1] for row in table.attempts()[batch][0]} == {"a", "c"}
    logs.leave_over(batch)
    table.forget(batch)
    c.kill()
    with driver() as second:
        awaits(second, "it has decided", lambda: kept(folder / "checkpoint"))
    with driver() as third:
        awaits(third, "it has written the batch", lambda: batch in table.attempts())
    c.start()
    expected += write(a, topic, "a last") + write(c, topic, "c last")
    with here() as last:
        awaits(last, "all is there", lambda: set(expected) <= set(table.ids()))
    assert table.ids() == Counter(expected)
    assert table.unequal() == []
