"""One cluster by the options of Spark's own Kafka source: `.format("kafka")` becomes `.format("dynamic-kafka")`.

Both sources run in one session, on the same topics.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka.errors import DataLossError, find_error
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession

from tests.cluster import KafkaCluster, Record, eventually
from tests.scenarios.listing import FileListing, on
from tests.scenarios.session_log import SessionLog

Name = Callable[[str], str]
Options = Mapping[str, Any]
OURS, SPARKS = "dynamic-kafka", "kafka"
PATIENCE = 90


@pytest.fixture
def topic(a: KafkaCluster, fresh_name: Name) -> str:
    """Two partitions with ten records each, a second apart, from the first second of 1970 on."""
    name = fresh_name("topic")
    a.create_topic(name, partitions=2)
    write(a, name, 0, 10)
    return name


def write(cluster: KafkaCluster, topic: str, first: int, until: int) -> None:
    """The same values into both partitions, with times that rise by a second."""
    for partition in (0, 1):
        cluster.produce(
            topic,
            [
                Record(None, f"{partition}-{n}", timestamp_ms=1000 * (n + 1), partition=partition)
                for n in range(first, until)
            ],
        )


def values(*numbers: range) -> list[str]:
    return sorted(f"{partition}-{n}" for some in numbers for n in some for partition in (0, 1))


class Query:
    """One query on one checkpoint, by either source; each run reads what is there."""

    def __init__(self, spark: SparkSession, folder: Path, options: Options) -> None:
        self._spark, self._folder, self._options = spark, folder, dict(options)
        self.checkpoint = folder / "checkpoint"
        self.batches: dict[int, list[str]] = {}
        self.counts: dict[str, int] = {}

    def run(self, source: str, *, stateful: bool = False, **more: Any) -> None:
        """Ends as the query does."""
        reader = self._spark.readStream.format(source).options(**{**self._options, **more})
        rows = reader.load().selectExpr("cast(value AS string) AS value", "partition")
        frame, keep = (rows.groupBy("partition").count(), self._count) if stateful else (rows, self._keep)
        writer = frame.writeStream.option("checkpointLocation", str(self.checkpoint)).foreachBatch(keep)
        if stateful:
            writer = writer.outputMode("update")
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE)

    def _keep(self, batch: DataFrame, number: int) -> None:
        self.batches[number] = sorted(row.value for row in batch.collect())

    def _count(self, batch: DataFrame, number: int) -> None:
        self.batches[number] = []
        self.counts |= {str(row.partition): row["count"] for row in batch.collect()}

    def read(self) -> list[str]:
        return sorted(value for batch in self.batches.values() for value in batch)

    def uncommits(self) -> int:
        """Leaves the last batch as a driver that died in it; its number."""
        last = max(self.batches)
        (self.checkpoint / "commits" / str(last)).unlink()
        (self.checkpoint / "commits" / f".{last}.crc").unlink(missing_ok=True)
        return last

    def offset(self) -> Any:
        """The text of the last logged offset."""
        newest = max((self.checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        return json.loads(newest.read_text().splitlines()[-1])


@pytest.fixture
def query(both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path) -> Query:
    return Query(both, tmp_path, {**of(a, topic), "startingOffsets": "earliest"})


def of(cluster: KafkaCluster, topic: str) -> Options:
    return {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": topic}


def found(spark: SparkSession, source: str, options: Options) -> list[Row]:
    return sorted(spark.read.format(source).options(**options).load().collect(), key=str)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"includeHeaders": True},
        {"startingOffsets": '{"TOPIC":{"0":3,"1":-2}}'},
        {"startingOffsets": '{"TOPIC":{"0":-2,"1":4}}', "endingOffsets": '{"TOPIC":{"0":-1,"1":6}}'},
        {"startingTimestamp": 4000, "startingOffsetsByTimestampStrategy": "latest"},
        {"startingOffsetsByTimestamp": '{"TOPIC":{"0":4000,"1":9000}}', "startingOffsetsByTimestampStrategy": "latest"},
        {"endingTimestamp": 4000},
        {"endingOffsetsByTimestamp": '{"TOPIC":{"0":4000,"1":99000}}'},
        {"minPartitions": 5},
        {"assign": '{"TOPIC":[1]}'},
        {"subscribePattern": "TOPIC|nothing"},
    ],
    ids=lambda more: "-".join(more) or "plain",
)
def test_a_batch_read_has_the_same_columns_and_rows(
    both: SparkSession, a: KafkaCluster, topic: str, more: Options
) -> None:
    options = dict(of(a, topic))
    if "assign" in more or "subscribePattern" in more:
        del options["subscribe"]
    options |= {key: str(value).replace("TOPIC", topic) for key, value in more.items()}
    ours, sparks = found(both, OURS, options), found(both, SPARKS, options)
    assert ours == sparks
    assert ours
    schemas = [both.read.format(source).options(**options).load().schema for source in (OURS, SPARKS)]
    assert schemas[0] == schemas[1]


def test_the_origin_of_a_record_is_there_for_who_asks(both: SparkSession, a: KafkaCluster, topic: str) -> None:
    rows = found(both, OURS, {**of(a, topic), "clusterColumns": True, "clusterId": "eu-1"})
    assert {(row.cluster, row.stream) for row in rows} == {("eu-1", topic)}


def test_a_checkpoint_of_sparks_own_source_is_continued_with_its_state_and_batch_ids(
    query: Query, a: KafkaCluster, topic: str, log: SessionLog
) -> None:
    query.run(SPARKS, stateful=True)
    assert query.counts == {"0": 10, "1": 10}
    write(a, topic, 10, 13)
    query.run(OURS, stateful=True)
    assert query.counts == {"0": 13, "1": 13}
    assert len(log.lines("continues a checkpoint of Spark's own Kafka source")) == 1
    assert max(query.batches) == 1
    assert query.offset()["clusters"]["kafka"]["topics"][topic]["partitions"]["0"][:3] == [0, 13, 0]
    write(a, topic, 13, 14)
    query.run(OURS, stateful=True)
    assert query.counts == {"0": 14, "1": 14}
    assert len(log.lines("continues a checkpoint of Spark's own Kafka source")) == 1, "not once more"


@pytest.mark.parametrize("batches", [1, 2])
def test_a_batch_that_was_logged_and_not_committed_has_the_rows_that_sparks_own_had(
    query: Query, a: KafkaCluster, topic: str, batches: int
) -> None:
    query.run(SPARKS)
    if batches == 2:
        write(a, topic, 10, 13)
        query.run(SPARKS)
    last = query.uncommits()
    before = query.batches.pop(last)
    write(a, topic, 13, 15)
    query.run(OURS)
    assert query.batches[last] == before
    assert query.read() == values(range(10), *([range(10, 13)] if batches == 2 else []), range(13, 15))


def test_a_batch_that_sparks_own_logged_before_it_found_a_loss_ends_in_the_same_error_and_goes_on_where_loss_is_allowed(
    query: Query, a: KafkaCluster, topic: str
) -> None:
    query.run(SPARKS)
    a.delete_topic(topic)
    eventually("the topic is gone", a.topics, until=lambda there: topic not in there, within=PATIENCE)
    a.create_topic(topic, partitions=2)
    write(a, topic, 20, 23)
    with pytest.raises(StreamingQueryException):
        query.run(SPARKS)
    assert query.offset() == {topic: {"0": 3, "1": 3}}
    with pytest.raises(StreamingQueryException) as failure:
        query.run(OURS)
    assert isinstance(find_error(failure.value), DataLossError)
    query.run(OURS, failOnDataLoss=False)
    write(a, topic, 23, 25)
    query.run(OURS, failOnDataLoss=False)
    assert query.read() == values(range(10), range(23, 25))


def test_the_first_offset_of_sparks_own_source_counts_though_no_batch_followed(
    query: Query, a: KafkaCluster, topic: str
) -> None:
    query.run(SPARKS, startingOffsets="latest")
    assert query.read() == []
    write(a, topic, 10, 12)
    query.run(OURS, startingOffsets="earliest")
    assert query.read() == values(range(10, 12))


def test_a_line_of_metadata_makes_it_two_clusters(
    query: Query, both: SparkSession, a: KafkaCluster, b: KafkaCluster, topic: str, file: FileListing
) -> None:
    query.run(SPARKS)
    query.run(OURS)
    b.create_topic(topic, partitions=2)
    write(b, topic, 100, 102)
    write(a, topic, 10, 12)
    file.publish(topic, {"kafka": on(a, topic), "eu-2": on(b, topic)})
    two = Query(both, query.checkpoint.parent, {"metadataService": "yaml", "metadataService.path": str(file.path)})
    two.run(OURS, streamIds=topic)
    assert two.read() == values(range(10, 12), range(100, 102))


def test_a_topic_that_matched_and_is_gone_is_deleted_and_never_removed(
    query: Query, both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path
) -> None:
    options = {"kafka.bootstrap.servers": a.bootstrap_servers, "subscribePattern": f"{topic}.*"}
    matching = Query(
        both, tmp_path / "matching", {**options, "startingOffsets": "earliest", "clusterRequestTimeout": "3s"}
    )
    matching.run(OURS)
    assert matching.read() == values(range(10))
    a.delete_topic(topic)
    eventually("the topic is gone", a.topics, until=lambda there: topic not in there, within=PATIENCE)
    with pytest.raises(StreamingQueryException) as failure:
        matching.run(OURS)
    assert isinstance(find_error(failure.value), DataLossError)


def test_partitions_that_were_never_assigned_are_not_read_when_others_are_assigned(
    both: SparkSession, a: KafkaCluster, topic: str, tmp_path: Path, fresh_name: Name
) -> None:
    other = fresh_name("other")
    a.create_topic(other, partitions=2)
    query = Query(both, tmp_path, {"kafka.bootstrap.servers": a.bootstrap_servers, "startingOffsets": "earliest"})
    query.run(OURS, assign=json.dumps({topic: [0]}))
    write(a, other, 20, 22)
    query.run(OURS, assign=json.dumps({other: [1]}))
    query.run(OURS, assign=json.dumps({topic: [0], other: [1]}))
    assert query.read() == sorted([*(f"0-{n}" for n in range(10)), *(f"1-{n}" for n in range(20, 22))])
