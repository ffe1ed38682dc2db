"""`continues`: ids that follow each other are one log with one position. The moves themselves are recipes, in
test_migrations_successors.py."""

import re

import pytest

from tests.cluster import KafkaCluster, Record
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import Listing, exact, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Queries, Running
from tests.scenarios.scene import Scene
from tests.scenarios.session_log import SessionLog


def write_to_both(a: KafkaCluster, b: KafkaCluster, topic: str, *values: str) -> list[str]:
    """The same records at the same offsets, but for their keys: so a row says where it was read."""
    for cluster in (a, b):
        cluster.produce(topic, [Record(cluster.name, value) for value in values])
    return list(values)


def clusters_of(running: Running) -> set[str]:
    return {row["cluster"] for row in running.rows()}


def read_from(running: Running, *values: str) -> set[str]:
    """Where the records with these values were read, by their keys."""
    return {bytes(row["key"]).decode() for row in running.rows() if bytes(row["value"]).decode() in values}


def test_a_new_query_reads_the_one_that_continues_no_other_and_later_who_is_left(
    scene: Scene, topic: str, a: KafkaCluster, b: KafkaCluster
) -> None:
    expected = write_to_both(a, b, topic, "1", "2")
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic, continues="a")})
    running = scene.start(scene.read("orders").load())
    running.await_values(expected)
    running.await_state("a", "reading")
    running.await_state("b", "standby")
    assert clusters_of(running) == {"a"}
    expected += write_to_both(a, b, topic, "3")
    running.await_values(expected)
    running.await_answers()
    scene.publish("orders", {"b": on(b, topic, continues="a")})
    expected += write(b, topic, "of b alone")
    running.await_values(expected)
    running.await_state("b", "reading")
    held = running.offset()["clusters"]
    assert held["b"]["topics"][topic]["partitions"]["0"][:3] == [3, 4, 1]


def test_a_duplicate_is_printed_the_line_to_add_and_goes_on_once_it_has_it(
    scene: Scene, topic: str, a: KafkaCluster, log: SessionLog
) -> None:
    scene.publish("orders", {"old": on(a, topic)})
    running = scene.start(scene.read("orders").load())
    expected = write(a, topic, "1")
    running.await_values(expected)
    scene.publish("orders", {"old": on(a, topic), "new": on(a, topic)})
    running.await_state("new", "duplicate")
    warning = log.await_line("WARN .*DYNAMIC_KAFKA_CLUSTER_DUPLICATED")
    assert re.search(r"\bnew\b.*continues: old\b", warning), warning
    # Taking the old one off is not saying it.
    scene.publish("orders", {"new": on(a, topic)})
    running.await_state("old", None)
    expected += write(a, topic, "2")
    running.await_answers()
    running.await_state("new", "duplicate")
    scene.publish("orders", {"new": on(a, topic, continues="old")})
    running.await_values(expected)
    running.await_state("new", "reading")


def test_a_topic_that_came_once_the_line_was_gone_needs_another_line_for_the_way_back(
    scene: Scene, topic: str, fresh_name: Name, a: KafkaCluster
) -> None:
    scene.publish("orders", {"old": on(a, topic)})
    running = scene.start(scene.read("orders").load())
    expected = write(a, topic, "by old")
    running.await_values(expected)
    scene.publish("orders", {"new": on(a, topic, continues="old")})
    running.await_state("new", "reading")
    scene.publish("orders", {"new": on(a, topic)})
    later = fresh_name("topic")
    a.create_topic(later)
    scene.publish("orders", {"new": on(a, topic, later)})
    expected += [*write(a, topic, "by new"), *write(a, later, "first")]
    running.await_values(expected)
    # What both have had is one log, and what only the new one has had is read under no other id.
    scene.publish("orders", {"old": on(a, topic, later)})
    expected += write(a, topic, "by old again")
    running.await_values(expected)
    held_back = write(a, later, "second")
    running.await_state("old", "duplicate")
    scene.publish("orders", {"old": on(a, topic, later, continues="new")})
    running.await_values(expected + held_back)
    running.await_state("old", "reading")


@pytest.mark.parametrize(("listing", "policy"), [("yaml", "drain"), ("python", "stop")], indirect=["listing"])
def test_a_chain_of_names_is_one_log_whichever_of_them_are_listed(
    policy: str, listing: Listing, topic: str, a: KafkaCluster, queries: Queries, source: Source
) -> None:
    listing.publish("orders", {"one": on(a, topic)})
    running = queries.start(source(listing.service, "orders").option("removedClusterPolicy", policy).load())
    expected = write(a, topic, "by one")
    running.await_values(expected)
    two, three = on(a, topic, continues="one"), on(a, topic, continues="two")
    ways = [
        ("two", {"two": two, "three": three}),
        ("three", {"three": three}),
        ("one", {"one": on(a, topic)}),
        # One that it skips is named, too.
        ("three", {"three": on(a, topic, continues=["one", "two"])}),
        ("two", {"two": two}),
    ]
    for turn, (reads, listed) in enumerate(ways):
        listing.publish("orders", listed)
        running.await_state(reads, "reading")
        expected += write(a, topic, f"{turn} by {reads}")
        running.await_values(expected)
    assert [row["cluster"] for row in running.rows()] == ["one", *(reads for reads, _ in ways)]
    assert running.metrics()["abandonedRecords"] == "0"


def test_a_standby_that_is_down_fails_nothing_and_takes_over_once_it_is_back(
    topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    both = {"a": on(a, topic), "b": on(b, topic, continues="a")}
    scene.publish("orders", both)
    expected = write_to_both(a, b, topic, "1")
    b.kill()
    rows = scene.read("orders").cluster_request_timeout("3s").load()
    # Not at the first start, and not later.
    running = scene.start(rows)
    running.await_values(expected)
    b.start()
    running.await_state("b", "standby")
    b.pause()
    for turn in range(3):
        running.await_values(expected := expected + write(a, topic, f"while it hangs {turn}"))
        running.await_answers()
    b.resume()
    write(b, topic, *expected[1:])
    running.await_metric("cluster.b.cause", lambda seen: seen is None)
    running.await_state("b", "standby")
    running.await_answers()
    scene.publish("orders", {"b": both["b"]})
    running.await_values(expected + write(b, topic, "of b alone"))


@pytest.mark.parametrize("kind", ["mirror", "renamed"])
def test_what_only_the_old_one_is_known_to_have_counts_as_abandoned_and_of_a_renamed_one_nothing_does(
    kind: str, topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    new = a if kind == "renamed" else b
    expected = write_to_both(a, b, topic, "1", "2")
    scene.publish("orders", {"old": on(a, topic)})
    running = scene.start(scene.read("orders").load())
    running.await_values(expected)
    scene.publish("orders", {"old": on(a, topic, paused=True)})
    running.await_state("old", "paused")
    beyond = write(a, topic, *numbered("last words ", 3))
    running.await_metric("cluster.old.pendingRecords", lambda seen: seen == "3")
    scene.publish("orders", {"new": on(new, topic, continues="old")})
    running.await_state("new", "reading")
    running.await_metric("abandonedRecords", lambda seen: seen == ("0" if kind == "renamed" else "3"))
    running.await_values(expected + (beyond if kind == "renamed" else []) + write(new, topic, "goes on"))


def test_what_was_not_begun_begins_by_the_old_ids_rule_as_of_its_first_listing(
    topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    write(b, topic, "before the first listing")
    scene.publish("orders", {"a": on(a, topic)})
    a.kill()
    builder = scene.read("orders").starting_offsets("latest").unavailable_cluster_policy("skip")
    running = scene.start(builder.cluster_request_timeout("3s").load())
    running.await_state("a", "pending")
    expected = write(b, topic, "since the first listing")
    # Not by `newClusterOffsets`, which is earliest, and not by the time when b is listed.
    scene.publish("orders", {"b": on(b, topic, continues="a")})
    running.await_values(expected)


def test_where_nothing_is_held_of_the_old_id_the_line_means_nothing(
    topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    expected = write(a, topic, "a") + write(b, topic, "b")
    scene.publish("orders", {"a": on(a, topic, continues="nobody")})
    running = scene.start(scene.read("orders").load())
    running.await_values(expected[:1])
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic, continues="nobody either")})
    running.await_values(expected)
    running.await_state("b", "reading")


@pytest.mark.parametrize(
    ("old", "reads"),
    [
        pytest.param("listed", "a", id="listed for its address"),
        pytest.param("dead", "b", id="listed and dead"),
    ],
)
def test_an_uncommitted_range_is_read_of_the_old_id_while_it_is_listed_and_answers_else_of_its_successor(
    old: str, reads: str, topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    expected = write_to_both(a, b, topic, "1", "2")
    scene.publish("orders", {"a": on(a, topic)})
    rows = scene.read("orders").cluster_request_timeout("3s").load()
    running = scene.start(rows, availableNow=True)
    running.await_end()
    running.await_values(expected)
    # The sink had not finished it.
    batch = running.leave_over()
    running.batches.pop(batch)
    if old == "dead":
        a.kill()
    scene.publish("orders", {"a": on(a), "b": on(b, topic, continues="a")})
    running = scene.start(rows, after=running)
    running.await_values(expected)
    assert (read_from(running, *expected), clusters_of(running)) == ({reads}, {"a"})
    running.await_values(expected + write(b, topic, "goes on"))


@pytest.mark.slow
def test_an_uncommitted_range_that_the_mirror_does_not_have_waits_and_is_read_up_to_where_mirroring_ended(
    topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    mirrored, lost = write_to_both(a, b, topic, "1", "2"), write(a, topic, "3", "4", "5")
    scene.publish("orders", {"a": on(a, topic)})
    rows = scene.read("orders").load()
    running = scene.start(rows, availableNow=True)
    running.await_end()
    running.await_values(mirrored + lost)
    # The sink had not finished it.
    batch = running.leave_over()
    running.batches.pop(batch)
    scene.publish("orders", {"b": on(b, topic, continues="a")})
    error = scene.start(rows, after=running).await_failure()
    assert error.condition == "DYNAMIC_KAFKA_MIRROR_BEHIND"
    filled = write(b, topic, *numbered("in the gap and beyond ", 5))
    scene.publish("orders", {"b": on(b, topic, continues="a", starting=exact(topic, {0: 2}))})
    running = scene.start(rows, after=running)
    running.await_values(mirrored + filled)
    running.await_metric("abandonedRecords", lambda seen: seen == "3")


def test_runs_of_available_now_follow_a_successor_and_read_no_standby(
    topic: str, a: KafkaCluster, b: KafkaCluster, scene: Scene
) -> None:
    mirror = on(b, topic, continues="a")
    rows = scene.read("orders").load()
    expected: list[str] = []
    running: Running | None = None
    alone, both, after = {"a": on(a, topic)}, {"a": on(a, topic), "b": mirror}, {"b": mirror}
    for turn, listed in enumerate([alone, both, after, after]):
        expected += write_to_both(a, b, topic, *numbered(f"{turn}: ", 3))
        scene.publish("orders", listed)
        running = scene.start(rows, after=running, availableNow=True)
        running.await_end()
        assert running.values() == expected
        assert read_from(running, *expected[-3:]) == {"a" if "a" in listed else "b"}
