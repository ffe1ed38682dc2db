"""A cluster of three brokers whose leaders move, which are restarted, die and hang."""

import re
import time
from collections import defaultdict

import pytest
import yaml
from dynamic_kafka import ClusterMetadata
from dynamic_kafka.errors import ClusterUnreachableError, DataLossError
from pyspark.sql import SparkSession

from tests.cluster import KafkaCluster, KafkaClusters, eventually
from tests.cluster.versions import chosen_version
from tests.readme import ROOT, examples
from tests.scenarios.conftest import Creates, Name
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.listing import on
from tests.scenarios.producing import IdProducer, numbered, write
from tests.scenarios.queries import Running, value_of
from tests.scenarios.scene import Scene
from tests.scenarios.session import RACK
from tests.scenarios.session_log import SessionLog

pytestmark = pytest.mark.wire


# By partition, who holds it; the first leads.
EVERYWHERE = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


# As docs/questions.md shows it.
(_SHOWN,) = examples("yaml", ROOT / "docs" / "questions.md")
BY_ENVIRONMENT = yaml.safe_load(_SHOWN)


def await_each_once_in_order(running: Running, ids: IdProducer) -> None:
    """Waits until all ids have come; none came twice, and those of a partition in the order of the log."""
    running.await_values(ids.written())
    partitions = defaultdict(list)
    for row in running.rows():
        partitions[row["cluster"], row["partition"]].append((row["offset"], int(value_of(row))))
    assert len(partitions) == 4
    for seen in partitions.values():
        assert seen == sorted(set(seen))
        assert [number for _, number in seen] == sorted(number for _, number in seen)


@pytest.mark.slow
def test_brokers_are_of_the_version_that_was_asked_for(trio: KafkaCluster, clusters: KafkaClusters) -> None:
    for cluster in (trio, *clusters):
        assert cluster.versions() == {chosen_version()}


@pytest.mark.long
def test_leaders_move_to_brokers_that_had_no_copy_while_a_query_reads(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(1, 2), (2, 3), (3, 1)])
    running = scene.start(scene.read("orders").load())
    with IdProducer((trio, topic), (a, topic)) as ids:
        ids.await_more(30)
        trio.move(topic, {0: (3, 1), 1: (1, 2), 2: (2, 3)})
        ids.await_more(30)
    await_each_once_in_order(running, ids)


@pytest.mark.parametrize("rack", [{"client.rack": RACK}, BY_ENVIRONMENT], ids=["one for all", "by environment"])
def test_records_come_from_the_replica_in_the_rack_that_the_cluster_names(
    trio: KafkaCluster,
    creates: Creates,
    scene: Scene,
    spark: SparkSession,
    fresh_name: Name,
    rack: dict[str, str],
) -> None:
    topic, prefix = creates([(1, 2)]), fresh_name("near")
    expected = write(trio, topic, *(f"{number:04}" * 2500 for number in range(200)))
    trio.await_in_sync(topic)
    near = {**rack, "metric.reporters": "org.apache.kafka.common.metrics.JmxReporter"}
    scene.publish("orders", {"trio": ClusterMetadata([topic], {**trio.properties(), **near})})
    # Long enough that the consumers are open still when their figures are read.
    source = scene.read("orders").group_id_prefix(prefix).consumer_idle_timeout("20s")
    scene.start(source.load()).await_values(expected)
    leader, follower = (bytes_from(spark, prefix, node) for node in (1, 2))
    assert follower > 2_000_000, "all records are there"
    assert leader < 100_000, "the leader says where to read, and no more"


def bytes_from(spark: SparkSession, prefix: str, node: int) -> float:
    """What the open consumers of a query got from this broker. Those of other queries in this JVM may report too."""
    beans = f"kafka.consumer:type=consumer-node-metrics,client-id={prefix}*,node-id=node-{node}"
    found = re.findall(r"'incoming-byte-total': '([\d.E]+)'", DriverJvm(spark).beans_with_values(beans))
    return sum(map(float, found))


@pytest.mark.long
def test_brokers_that_are_restarted_one_after_the_other_are_not_noticed(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates(EVERYWHERE, min_insync_replicas="2")
    running = scene.start(scene.read("orders").load())
    with IdProducer((trio, topic), (a, topic)) as ids:
        for number in (1, 2, 3):
            ids.await_more(20)
            trio.restart(number)
            trio.await_in_sync(topic)
        ids.await_more(20)
    await_each_once_in_order(running, ids)


@pytest.mark.slow
def test_a_broker_is_killed_under_load_and_named_in_the_bootstrap_list_while_it_is_down(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates(EVERYWHERE, min_insync_replicas="2")
    rows = scene.read("orders").cluster_request_timeout("30s").load()
    running = scene.start(rows)
    with IdProducer((trio, topic), (a, topic)) as ids:
        ids.await_more(30)
        trio.kill(1)
        assert trio.address(1) in trio.bootstrap_servers
        begun_meanwhile = scene.start(rows)
        ids.await_more(30)
        begun_meanwhile.await_rows_of("trio", 20)
        trio.start(1)
        trio.await_in_sync(topic)
        ids.await_more(30)
    await_each_once_in_order(running, ids)
    await_each_once_in_order(begun_meanwhile, ids)


@pytest.mark.long
def test_a_broker_that_hangs_for_longer_than_a_request_may_take_fails_nothing_while_others_lead(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    limit = 18  # so that another leads within a third of it
    topic = creates([(3, 2), (2, 3)])
    running = scene.start(scene.read("orders").cluster_request_timeout(f"{limit}s").load())
    expected = write(trio, topic, "before", partition=0) + write(trio, topic, "beside", partition=1)
    running.await_values(expected)
    trio.pause(3)
    limit_is_over = time.time() + limit
    trio.await_leader(topic, 2, partition=0)
    expected += write(trio, topic, "meanwhile", partition=1) + write(a, topic, "a meanwhile")
    running.await_values(expected)
    claim = "the query continues when the limit is over"
    eventually(claim, lambda: running.has_begun_a_trigger_since(limit_is_over), within=2 * limit)
    trio.resume(3)
    running.await_values(expected + write(trio, topic, "led by another", partition=0))


def test_a_partition_that_nobody_leads_fails_the_query_or_holds_alone(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(2,), (1,)])
    strict = scene.read("orders").cluster_request_timeout("8s").load()
    failing = scene.start(strict)
    limits = scene.read("orders").cluster_request_timeout("2s")
    lenient = scene.start(limits.unavailable_cluster_policy("skip").load())
    expected = [*write(trio, topic, "t0", partition=0), *write(trio, topic, "t1", partition=1), *write(a, topic, "a0")]
    for running in (failing, lenient):
        running.await_values(expected)
        running.await_committed()
    trio.kill(2)
    error = failing.await_failure()
    assert isinstance(error, ClusterUnreachableError)
    assert "cluster trio" in str(error)
    assert f"no broker leads {topic}-0" in str(error)
    lenient.await_metric("cluster.trio.cause", lambda seen: f"no broker leads {topic}-0" in (seen or ""))
    assert lenient.metrics()["cluster.trio.state"] == "reading"
    expected += [*write(a, topic, "a1"), *write(trio, topic, "t2", partition=1)]
    lenient.await_values(expected)
    trio.start(2)
    trio.await_leader(topic, 2)
    expected += write(trio, topic, "t3", partition=0)
    lenient.await_values(expected)
    lenient.await_metric("cluster.trio.cause", lambda seen: seen is None)
    scene.start(strict, after=failing).await_values(expected)


@pytest.mark.long
def test_a_topic_that_is_removed_while_nobody_leads_one_partition_drains_the_others_and_then_that_one(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene, log: SessionLog
) -> None:
    topic = creates([(2,), (1,), (3,)])
    limits = scene.read("orders").cluster_request_timeout("2s").unavailable_cluster_policy("skip")
    first = scene.start(limits.load())
    expected = [value for number in range(3) for value in write(trio, topic, f"read {number}", partition=number)]
    first.await_values(expected)
    first.stop_between_batches()
    unled = write(trio, topic, *numbered("unled ", 5), partition=0)
    expected += [*write(trio, topic, "backlog 1", partition=1), *write(trio, topic, "backlog 2", partition=2)]
    trio.kill(2)
    # No topic of it is listed any more, but it is active.
    scene.publish("orders", {"trio": on(trio), "a": on(a, topic)})
    running = scene.start(limits.load(), after=first)
    running.await_values(expected)
    running.await_metric("cluster.trio.cause", lambda seen: f"no broker leads {topic}-0" in (seen or ""))
    write(trio, topic, "after the removal", partition=1)
    expected += write(a, topic, "a goes on")
    running.await_values(expected)
    running.await_state("trio", "draining")
    trio.start(2)
    trio.await_leader(topic, 2, partition=0)
    running.await_values(expected + unled)
    assert "recordsBeyond=1" in log.await_line(f"drain ended cluster=trio .*topic={topic}")
    assert running.metrics()["abandonedRecords"] == "0"


@pytest.mark.long
def test_a_broker_that_hangs_holds_only_the_partitions_that_it_leads(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(2,), (1,)])
    # A task's consumer may wait for the broker that hangs, and Kafka's 30 s are long for a test.
    limits = scene.read("orders").cluster_request_timeout("6s").kafka_property("request.timeout.ms", "3000")
    running = scene.start(limits.unavailable_cluster_policy("skip").load())
    expected = [*write(trio, topic, "t0", partition=0), *write(trio, topic, "t1", partition=1)]
    running.await_values(expected)
    running.await_committed()
    trio.pause(2)
    running.await_metric("cluster.trio.cause", lambda seen: f"{topic}-0" in (seen or ""))
    expected += [*write(trio, topic, "t2", partition=1), *write(a, topic, "a1")]
    running.await_values(expected)
    trio.resume(2)
    trio.await_leader(topic, 2)
    running.await_values(expected + write(trio, topic, "t3", partition=0))


@pytest.mark.long
def test_a_broker_that_hangs_does_not_hold_up_a_consumer_that_is_opened_meanwhile(
    trio: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(1,), (3,)])
    # Each batch opens a consumer, and Kafka's client takes any of the three addresses first.
    running = scene.start(scene.read("orders").consumer_idle_timeout("100ms").load())
    expected = write(trio, topic, "before", partition=0)
    running.await_values(expected)
    trio.pause(2)
    ages = []
    for number in range(10):
        expected += write(trio, topic, f"beside {number}", partition=number % 2)
        began = time.monotonic()
        running.await_values(expected)
        ages.append(time.monotonic() - began)
        time.sleep(1)  # the consumer is closed
    trio.resume(2)
    assert max(ages) < 16, ages


def test_a_log_that_an_unclean_leader_cut_is_reported_and_not_read_twice(
    trio: KafkaCluster, a: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(2, 3)], unclean_leader_election_enable="true")
    first = scene.start(scene.read("orders").load())
    expected = write(trio, topic, *numbered("both ", 3))
    trio.stop(3)
    expected += write(trio, topic, *numbered("one ", 3))
    first.await_values(expected)
    first.stop_between_batches()
    trio.stop(2)
    trio.start(3)
    trio.elect(topic, unclean=True)
    trio.await_leader(topic, 3)
    eventually("the log is cut", lambda: trio.end_offsets(topic), until=lambda seen: seen == {0: 3}, within=20)
    limits = scene.read("orders").cluster_request_timeout("5s")
    error = scene.start(limits.load(), after=first).await_failure()
    assert isinstance(error, DataLossError)
    for word in ("cluster trio", topic, "read up to 6, cut off at 3", "unclean leader"):
        assert word in str(error)
    lenient = scene.start(limits.fail_on_data_loss(False).load(), after=first)
    expected += write(a, topic, "a goes on")
    lenient.await_values(expected)
    eventually(
        "it goes on where the log was cut off",
        lambda: lenient.offset()["clusters"]["trio"]["topics"][topic]["partitions"]["0"][1],
        until=lambda seen: seen == 3,
        within=20,
    )
    # By a producer that does not know what the log once held.
    trio.produce(topic, [(None, "anew")], client={"linger.ms": 0})
    lenient.await_values([*expected, "anew"])


@pytest.mark.long
def test_a_log_that_was_cut_and_grew_again_after_a_batch_was_planned_is_read_up_to_the_cut_alone(
    trio: KafkaCluster, creates: Creates, scene: Scene
) -> None:
    topic = creates([(2, 3)], unclean_leader_election_enable="true")
    kept = write(trio, topic, *numbered("kept ", 3))
    trio.stop(3)
    gone = write(trio, topic, *numbered("gone ", 3))
    rows = scene.read("orders").cluster_request_timeout("8s")
    first = scene.start(rows.load(), availableNow=True)
    first.await_end()
    first.await_values(kept + gone)
    planned = first.leave_over()
    del first.batches[planned]
    trio.stop(2)
    trio.start(3)
    trio.elect(topic, unclean=True)
    trio.await_leader(topic, 3)
    # By a producer that does not know what the log once held.
    anew = [f"anew {number}" for number in range(9)]
    trio.produce(topic, [(None, text) for text in anew], client={"linger.ms": 0})
    strict = scene.start(rows.load(), after=first)
    error = strict.await_failure()
    assert isinstance(error, DataLossError)
    for word in ("cluster=trio", topic, "offsets=0 until 6", "cut off at 3", "unclean leader"):
        assert word in str(error)
    assert strict.values() == []
    lenient = scene.start(rows.fail_on_data_loss(False).load(), after=first)
    lenient.await_metric("dataLossRecords", lambda seen: seen == "3")
    assert [value_of(row) for row in lenient.batches[planned]] == kept
    lenient.await_values([*kept, *anew])
