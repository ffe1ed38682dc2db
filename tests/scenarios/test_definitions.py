"""A definition is not a read: declarative pipelines evaluate it several times, and a dry run never reads."""

from collections.abc import Collection, Iterator, Mapping
from socketserver import TCPServer
from typing import NamedTuple

import pytest
from dynamic_kafka import (
    ClusterMetadata,
    DynamicKafkaError,
    DynamicKafkaSource,
    DynamicKafkaSourceBuilder,
    HttpMetadataService,
    InMemoryMetadataService,
    JvmMetadataService,
    KafkaStream,
    MetadataService,
    SingleClusterMetadataService,
    YamlFileMetadataService,
    find_error,
)
from dynamic_kafka.errors import InvalidOptionError
from pyspark.sql import DataFrame, SparkSession

from tests.cluster import eventually
from tests.cluster.serving import serving


class Counting(InMemoryMetadataService):
    """Counts its calls."""

    def __init__(self, address: str) -> None:
        super().__init__([KafkaStream("orders", {"eu": ClusterMetadata({"orders"}, bootstrap_servers=address)})])
        self.calls = 0

    def all_streams(self) -> Collection[KafkaStream]:
        self.calls += 1
        return super().all_streams()

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        self.calls += 1
        return super().describe_streams(stream_ids)

    def is_cluster_active(self, cluster_id: str) -> bool:
        self.calls += 1
        return super().is_cluster_active(cluster_id)


class Counted(NamedTuple):
    """An address that answers nobody, with its ``connections`` so far."""

    address: str
    connections: list[object]


@pytest.fixture
def counted() -> Iterator[Counted]:
    connections: list[object] = []
    # A connection is closed at once.
    with serving(TCPServer(("127.0.0.1", 0), lambda *of: connections.append(of))) as port:  # type: ignore[arg-type]
        yield Counted(f"127.0.0.1:{port}", connections)


def define(builder: DynamicKafkaSourceBuilder) -> DataFrame:
    """All that a definition may do to a DataFrame."""
    rows = builder.load()
    assert rows.isStreaming == builder.load().isStreaming
    named = rows.selectExpr("cluster", "CAST(value AS STRING) AS value").where("cluster = 'eu'")
    united = named.union(named).groupBy("cluster").count()
    assert united.columns == ["cluster", "count"]
    named.createOrReplaceTempView("defined")
    assert rows.sparkSession.table("defined").schema == named.schema
    united.explain()
    return rows


@pytest.mark.parametrize("kind", ["python", "http", "single cluster", "file"])
def test_a_definition_contacts_neither_the_service_nor_a_broker_and_a_read_does(
    kind: str, spark: SparkSession, counted: Counted
) -> None:
    python = Counting(counted.address)
    services: dict[str, MetadataService | JvmMetadataService] = {
        "python": python,
        "http": HttpMetadataService(f"http://{counted.address}/streams"),
        "single cluster": SingleClusterMetadataService("eu", {"bootstrap.servers": counted.address}),
        "file": YamlFileMetadataService("there-is-no-such-file.yaml"),
    }

    def builder() -> DynamicKafkaSourceBuilder:
        made = DynamicKafkaSource.builder(spark).metadata_service(services[kind]).stream_ids("orders")
        return made.cluster_request_timeout("2s").metadata_request_timeout("10s")

    defined = [define(made) for made in (builder(), builder().bounded())]
    assert [rows.isStreaming for rows in defined] == [True, False]
    assert (python.calls, counted.connections) == (0, [])

    with pytest.raises(DynamicKafkaError):
        read(defined[1])
    assert (python.calls > 0) == (kind == "python")
    if kind == "file":
        assert counted.connections == []
    else:
        eventually("the address is connected to", lambda: counted.connections, within=10)


def read(rows: DataFrame) -> None:
    """Reads, and raises the error of the source as one of Python's."""
    try:
        rows.collect()
    except Exception as failure:
        raise find_error(failure) or failure from None


def test_a_table_that_is_only_described_contacts_nobody(spark: SparkSession, counted: Counted) -> None:
    options = f"metadataService 'http', `metadataService.url` 'http://{counted.address}/streams', streamIds 'orders'"
    spark.sql(f"CREATE TABLE defined_orders USING `dynamic-kafka` OPTIONS ({options})")
    try:
        for rows in (spark.readStream.table("defined_orders"), spark.sql("SELECT * FROM STREAM defined_orders")):
            assert rows.isStreaming
            assert "cluster" in rows.columns
        assert "cluster" in spark.table("defined_orders").columns
        for shown in ("DESCRIBE", "DESCRIBE EXTENDED"):
            spark.sql(f"{shown} defined_orders").collect()
        assert counted.connections == []
        with pytest.raises(DynamicKafkaError):
            read(spark.table("defined_orders"))
        eventually("the service is asked", lambda: counted.connections, within=10)
    finally:
        spark.sql("DROP TABLE defined_orders")


def test_a_wrong_option_fails_the_definition_itself(spark: SparkSession) -> None:
    for builder in (DynamicKafkaSource.builder(spark), DynamicKafkaSource.builder(spark).bounded()):
        builder.metadata_service(YamlFileMetadataService("no-such-file.yaml")).stream_ids("orders")
        with pytest.raises(InvalidOptionError, match="maxOffsetPerTrigger"):
            builder.option("maxOffsetPerTrigger", 5).load()
