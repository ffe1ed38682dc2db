"""Cases of the suites of Spark's own Kafka source: topics that are deleted, or created anew.

docs/internals/sparks-suites.md lists all cases, with the test that holds each.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dynamic_kafka import find_error
from dynamic_kafka.errors import DataLossError, TopicRecreatedError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from tests.cluster import KafkaCluster, eventually
from tests.scenarios.pairs import OURS, PATIENCE, Pair, Stream
from tests.scenarios.pairs import stream_of as of
from tests.scenarios.times import write

# Both sources run side by side; test_one_word.py does it each day.
pytestmark = pytest.mark.long

Name = Callable[[str], str]


def test_a_stream_that_matched_a_topic_that_is_deleted_goes_on_with_others_and_keeps_what_it_knows(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    name = fresh_name("gone")
    a.create_topic(f"{name}-old")
    expected = write(a, f"{name}-old", 1, 2, 3)
    options = {**of(a, name, "subscribePattern", failOnDataLoss=False), "clusterRequestTimeout": "3s"}
    stream = Stream(both, tmp_path, OURS, options)
    stream.run()
    a.delete_topic(f"{name}-old")
    stream.run()
    last = max((stream.checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
    assert f"{name}-old" in last.read_text()
    a.create_topic(f"{name}-new")
    expected += write(a, f"{name}-new", 4, 5, 6)
    stream.run()
    assert stream.values() == expected


def test_a_topic_that_is_created_anew_between_two_runs_fails_the_query(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path
) -> None:
    name = fresh_name("anew")
    for topic, values in ((f"{name}-1", (1, 3)), (f"{name}-2", (2, 4))):
        a.create_topic(topic)
        write(a, topic, *values)
    pair = Pair(both, tmp_path, of(a, name, "subscribePattern"))
    pair.run()
    assert pair.values() == ["1", "2", "3", "4"]
    a.delete_topic(f"{name}-2")
    a.create_topic(f"{name}-2")
    write(a, f"{name}-2", 6)
    pair.begin()
    assert f"{name}-2" in pair.ours.failure()
    assert "was changed from 2 to 1" in pair.sparks.failure()


@pytest.mark.parametrize(("partitions", "records"), [(3, 15), (5, 10)], ids=["fewer partitions", "fewer records"])
def test_a_topic_that_is_created_anew_while_a_run_reads_it_fails_the_run(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path, partitions: int, records: int
) -> None:
    topic = fresh_name("anew")
    a.create_topic(topic, partitions=5)
    write(a, topic, *range(15))

    def again(_: DataFrame, __: int) -> None:
        a.delete_topic(topic)
        a.create_topic(topic, partitions=partitions)
        write(a, topic, *range(records))

    stream = Stream(both, tmp_path, OURS, of(a, topic, maxOffsetsPerTrigger=5))
    stream.before = again
    stream.begin()
    with pytest.raises(StreamingQueryException) as failed:
        stream.end()
    assert isinstance(find_error(failed.value), DataLossError | TopicRecreatedError)


@pytest.mark.long
@pytest.mark.parametrize("deletes", [True, False], ids=["deletes", "only adds"])
def test_topics_that_come_and_go_at_random_end_no_query_that_may_lose_data(
    both: SparkSession, a: KafkaCluster, fresh_name: Name, tmp_path: Path, deletes: bool
) -> None:
    name, chance = fresh_name("stress"), random.Random(7)
    kept, gone = [f"{name}-0"], list[str]()
    a.create_topic(kept[0], partitions=2)
    expected = write(a, kept[0], "first")
    stream = Stream(both, tmp_path, OURS, of(a, name, "subscribePattern", failOnDataLoss=False))
    stream.begin(processingTime="0 seconds")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        step = chance.randrange(6)
        if step == 0:
            kept.append(gone.pop() if gone and deletes else f"{name}-{len(kept) + len(gone)}-{chance.random()}")
            a.create_topic(kept[-1], partitions=chance.randrange(1, 4))
        elif step == 1 and deletes and len(kept) > 1:
            gone.append(kept.pop())
            a.delete_topic(gone[-1])
        else:
            topic = chance.choice(kept)
            written = write(a, topic, f"{topic} {chance.random()}")
            expected += written if topic == kept[0] or not deletes else []
        assert stream.query.exception() is None
    eventually("it is read", lambda: set(expected) - set(stream.values()), until=lambda left: not left, within=PATIENCE)
    stream.query.stop()
    assert len(stream.values()) == len(set(stream.values()))
