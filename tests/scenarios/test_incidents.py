"""What goes wrong at night, played on real brokers: its cause is in each place where somebody on call looks, and its
alert fires and is over in the end. `make long` runs these; what was seen is in `build/incidents`."""

import threading
import time

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.conftest import Name
from tests.scenarios.incident_view import IncidentView
from tests.scenarios.operating import Operator
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import SOON, Queries

pytestmark = pytest.mark.long

HOUR_MS = 3600 * 1000


def test_a_cluster_hangs(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, expected = seen.starts_reading(operator, skipping, a, b)
    b.pause()
    seen.fires("ClusterUnavailable b")
    seen.sees("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]", dashboard="cause=CLUSTER_UNREACHABLE cluster=b")
    running.await_values(expected := expected + write(a, operator.topic, "a2"))
    seen.keeps("a-hangs")
    # A restart does not make it well: how late it is, nobody knows then.
    running.stop()
    running = seen.looks_at(operator.starts(skipping, after=running))
    running.await_state("b", "unavailable")
    assert "cluster.b.timeLag" not in running.metrics()
    b.heal()
    running.await_values(expected + write(b, operator.topic, "b2"))
    running.await_metric("cluster.b.timeLag", lambda lag: lag == "0")
    seen.clears("ClusterUnavailable b")
    seen.sees_nothing_wrong()


def test_a_busy_cluster_dies_in_a_batch(
    a: KafkaCluster,
    b: KafkaCluster,
    operator: Operator,
    queries: Queries,
    seen: IncidentView,
    skipping: DynamicKafkaSourceBuilder,
) -> None:
    deferring = skipping.unreadable_range_policy("defer")
    running, expected = seen.starts_reading(operator, deferring, a, b)
    running.stop_between_batches()
    lost, kept = write(b, operator.topic, *numbered("b", 1500)), write(a, operator.topic, "a2")
    running = seen.looks_at(queries.start(deferring.load(), after=running, once_planned=b.kill))
    # The others come with the batch in which it died.
    running.await_among(kept)
    running.await_metric("cluster.b.deferredRecords", bool)
    seen.fires("RecordsDeferred b")
    seen.sees("[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]", dashboard="cause=CLUSTER_UNREACHABLE cluster=b")
    metrics = running.metrics()
    batch, parts = metrics["cluster.b.deferredInBatch"], metrics["cluster.b.deferredPartitions"]
    said = metrics["cluster.b.lastDeferral"].partition(" at ")[0].replace("DYNAMIC_KAFKA_", "")
    assert said.startswith(f"deferred in batch {batch}: {parts} partition"), said
    assert said in " ".join(seen.status().split())
    shown = seen.annotations("RecordsDeferred")
    records = metrics["cluster.b.deferredRecords"]
    assert shown["summary"].endswith(f"deferred in batch {batch}: {parts} partitions of b, {records} records"), shown
    # That the page has this section, tests/test_runbook.py looks.
    assert shown["runbook_url"].endswith("/docs/runbook.md#dynamickafkarecordsdeferred")
    seen.keeps("c-dies-in-a-batch")
    b.heal()
    running.await_values(expected + lost + kept)
    running.await_metric("cluster.b.lastDeferral", lambda text: text and "made good at" in text)
    seen.clears("RecordsDeferred b")
    good = eventually("the status says so", seen.status, until=lambda text: "made good" in text, within=SOON)
    assert f"{said}: made good" in " ".join(good.split())
    seen.sees_nothing_wrong()


def test_a_cluster_hangs_and_the_query_does_not_go_on_without_it(
    a: KafkaCluster, b: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, _ = seen.starts_reading(operator, skipping.unavailable_cluster_policy("fail"), a, b)
    b.pause()
    failure = running.await_failure()
    assert (failure.condition, failure.cluster) == ("DYNAMIC_KAFKA_CLUSTER_UNREACHABLE", "b")
    shown = eventually("it failed", seen.status, until=lambda text: "It failed" in text, within=SOON)
    assert "It failed with CLUSTER_UNREACHABLE: cluster b." in shown
    lag = seen.lag()
    assert "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE]" in lag
    seen.writes_down("a-hangs-and-fails", status=shown, lag=lag, error=str(failure))


def test_a_topic_loses_its_permission(
    guarded: KafkaCluster,
    fresh_name: Name,
    operator: Operator,
    seen: IncidentView,
    skipping: DynamicKafkaSourceBuilder,
) -> None:
    orders, refunds = fresh_name("orders"), fresh_name("refunds")
    for name in (orders, refunds):
        guarded.create_topic(name)
    operator.lists(guarded=ClusterMetadata([orders, refunds], guarded.properties("reader")))
    running = seen.looks_at(operator.starts(skipping))
    expected = write(guarded, orders, "o1") + write(guarded, refunds, "r1")
    running.await_values(expected)
    guarded.forbid("reader", refunds)
    seen.fires("TopicsSkipped guarded")
    seen.sees("[DYNAMIC_KAFKA_NOT_AUTHORIZED]", dashboard="cause=NOT_AUTHORIZED cluster=guarded")
    assert f"DESCRIBE and READ on topic {refunds}" in " ".join(seen.status().split())
    late = write(guarded, refunds, "r2")
    running.await_values(expected := expected + write(guarded, orders, "o2"))
    seen.keeps("b-permission", validate=seen.command("validate", str(operator.file.path), "--connect"))
    guarded.permit("reader", refunds)
    running.await_values(expected + late)
    seen.clears("TopicsSkipped guarded")


def test_a_query_is_a_day_behind_with_a_retention_of_two(
    a: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    a.create_topic(operator.topic)
    began = int(time.time() * 1000) - 48 * HOUR_MS

    def hours(first: int, values: list[str]) -> list[str]:
        """Writes a record for each hour from there on."""
        times = (began + (first + number) * HOUR_MS for number in range(len(values)))
        a.produce(operator.topic, [Record(None, it, timestamp_ms=at) for it, at in zip(values, times, strict=True)])
        return values

    operator.lists(a)
    running = seen.looks_at(operator.starts(skipping))
    running.await_values(expected := hours(0, numbered("first day ", 24)))
    # Somebody forgets a pause. What retention deletes is deleted by hand, an hour's records in a moment.
    operator.lists(a=operator.on(a, paused=True))
    running.await_state("a", "paused")
    expected += hours(24, numbered("second day ", 24))
    running.await_metric("cluster.a.pendingRecords", lambda left: left == "24")
    for hour in range(1, 5):
        a.delete_records(operator.topic, {0: hour})
        running.await_answers()
    seen.fires("RecordsAgeOut a")
    seen.sees("[DYNAMIC_KAFKA_DATA_LOSS]", dashboard="cause=DATA_LOSS cluster=a", lag="paused")
    assert "TimeLag a" not in seen.firing(), "a pause is meant"
    seen.keeps("d-day-behind")
    running.stop()
    # Without the pause it is too slow.
    operator.lists(a)
    running = seen.looks_at(operator.starts(skipping.max_offsets_per_trigger(1), after=running))
    seen.fires("TimeLag a")
    running.await_values(expected)
    for alert in ("TimeLag a", "RecordsAgeOut a"):
        seen.clears(alert)


def test_a_batch_hangs(
    a: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder, queries: Queries
) -> None:
    operator.creates(a)
    operator.lists(a)
    ends = threading.Event()
    running = seen.looks_at(queries.start(skipping.load(), between=lambda: ends.wait(600)))
    try:
        expected = write(a, operator.topic, "a1")
        eventually("the sink has it", running.values, until=lambda values: values == expected, within=SOON)
        seen.fires("NoProgress")
    finally:
        ends.set()
    running.await_values(expected)
    seen.clears("NoProgress")


def test_the_metadata_can_not_be_read(
    a: KafkaCluster, operator: Operator, seen: IncidentView, skipping: DynamicKafkaSourceBuilder
) -> None:
    running, expected = seen.starts_reading(operator, skipping, a)
    good = operator.file.path.read_text()
    operator.file.write(good.replace("topics:", "topcis:"))
    seen.fires("MetadataAge")
    shown = running.await_metric("metadataLastError", lambda error: "topcis" in (error or ""))
    assert shown.startswith("[DYNAMIC_KAFKA_INVALID_METADATA]")
    assert "It refuses its metadata: [INVALID_METADATA]" in " ".join(seen.status().split())
    assert "topcis" in seen.warnings()
    validated = seen.command("validate", str(operator.file.path))
    assert "topcis" in validated
    seen.keeps("metadata", validate=validated)
    running.await_values(expected + write(a, operator.topic, "a2"))
    operator.file.write(good)
    seen.clears("MetadataAge")
    running.await_metric("metadataLastError", lambda error: error is None)
