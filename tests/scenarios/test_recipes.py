"""The recipes of `docs/recipes.md` for values, on two clusters whose values differ."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.functions import lit

from tests.cluster import KafkaCluster, Record
from tests.packages import jars_of
from tests.recipes import block, ran, within
from tests.scenarios.conftest import Name, Source
from tests.scenarios.encoded import avro, with_header
from tests.scenarios.listing import FileListing, on
from tests.scenarios.registries import registry

Orders = Callable[..., DataFrame]
Values = Sequence[bytes | None]
PATIENCE = 60

AVRO = "org.apache.spark:spark-avro_2.13:4.1.1"


@pytest.fixture
def orders(a: KafkaCluster, b: KafkaCluster, file: FileListing, source: Source, fresh_name: Name) -> Orders:
    """A read of a stream with these values on `eu-1` and on `us-1`."""
    topic, stream = fresh_name("orders"), fresh_name("stream")

    def written(on_eu: Values, on_us: Values, *, streaming: bool = False) -> DataFrame:
        for cluster, values in ((a, on_eu), (b, on_us)):
            cluster.create_topic(topic)
            cluster.produce(topic, [Record(None, value) for value in values])
        file.publish(stream, {"eu-1": on(a, topic), "us-1": on(b, topic)})
        builder = source(file.service, stream)
        return (builder if streaming else builder.bounded()).load()

    return written


@pytest.fixture(scope="module")
def with_avro(spark: SparkSession) -> None:
    """What `--packages` does for a session that begins."""
    (jar,) = jars_of(AVRO, "spark-avro_")
    spark.sql(f"ADD JAR '{jar}'")


def found(frame: DataFrame) -> set[tuple[object, ...]]:
    """The rows, each with the fields of its order."""
    return {flat(row) for row in frame.collect()}


def flat(row: Row) -> tuple[object, ...]:
    return tuple(field for value in row for field in (value if isinstance(value, Row) else (value,)))


def in_sql(spark: SparkSession, code: str, orders: DataFrame) -> set[tuple[object, ...]]:
    orders.createOrReplaceTempView("orders")
    try:
        return found(spark.sql(code))
    finally:
        spark.catalog.dropTempView("orders")


def test_a_header_is_split_off_and_what_has_none_is_null(spark: SparkSession) -> None:
    good = {b"\0\0\0\0\x07abc": (7, b"abc"), b"\0\x7f\xff\xff\xff": (2**31 - 1, b""), b"\0" * 6: (0, b"\0")}
    bad = [None, b"", b"\0", b"\0\0\0\0", b"\x01\0\0\0\x07abc", b"\0\x80\0\0\0abc", b'{"order_id": 1}']
    values = [(number, value) for number, value in enumerate([*good, *bad])]
    frame = spark.createDataFrame(values, "number INT, value BINARY").withColumn("cluster", lit("eu-1"))
    framed = ran(block("The header of a schema registry"), orders=frame)["framed"].orderBy("number").collect()
    assert [row.framed for row in framed] == [
        *(Row(schema_id=id_, payload=rest) for id_, rest in good.values()),
        *[None] * len(bad),
    ]


def test_json_values_of_both_clusters_have_the_same_columns(orders: Orders, spark: SparkSession) -> None:
    rows = orders([b'{"order_id": "e", "amount": 5, "more": [1]}'], [b'{"order_id": "u"}', b"no json"])
    expected = {("eu-1", "e", 5), ("us-1", "u", None), ("us-1", None, None)}
    assert found(ran(block("JSON"), orders=rows)["parsed"]) == expected
    assert in_sql(spark, block("JSON", "sql"), rows) == expected


def test_json_behind_a_header_is_parsed_and_its_schema_id_is_there(orders: Orders, spark: SparkSession) -> None:
    eu, us = b'{"order_id": "e", "amount": 5}', b'{"order_id": "u", "amount": 6}'
    rows = orders([with_header(1, eu), None], [with_header(70_000, us), us])
    good = {("eu-1", 1, "e", 5), ("us-1", 70_000, "u", 6)}
    parsed = found(ran(block("The header of a schema registry"), orders=rows)["parsed"])
    assert parsed == good | {("eu-1", None, None), ("us-1", None, None)}
    assert in_sql(spark, block("The header of a schema registry", "sql"), rows) == good


@pytest.mark.usefixtures("with_avro")
def test_avro_values_are_decoded_and_a_bad_one_stops_nothing(orders: Orders) -> None:
    rows = orders([avro("e", 5)], [avro("u", -6), b"\xff"])
    assert found(ran(block("Avro"), orders=rows)["parsed"]) == {
        ("eu-1", "e", 5),
        ("us-1", "u", -6),
        ("us-1", None, None),
    }


@pytest.mark.usefixtures("with_avro")
def test_the_same_schema_id_is_another_schema_on_another_clusters_registry(orders: Orders, tmp_path: Path) -> None:
    text, number = {"name": "order_id", "type": "string"}, {"name": "amount", "type": "long"}
    there = {"name": "Order", "type": "record"}
    eu, us = json.dumps({**there, "fields": [text, number]}), json.dumps({**there, "fields": [number, text]})
    rows = orders(
        [with_header(1, avro("e", 5)), with_header(1, avro("e2", 7))],
        [with_header(1, avro(6, "u")), with_header(2, avro("u2", 8)), with_header(3, b"unknown"), b"bad"],
        streaming=True,
    )
    code = block("Registries that differ by cluster")
    with registry({1: eu}) as first, registry({1: us, 2: eu}) as second:
        for place, at in enumerate((first, second), start=1):
            code = code.replace(f"http://registry-{place}.example.com:8081", at.url)
        decoded = ran(block("The header of a schema registry") + code, orders=rows)["decoded"]
        seen: list[tuple[object, ...]] = []

        def look(batch: DataFrame, _: int) -> None:
            seen.extend(flat(row) for row in decoded(batch).select("cluster", "order").collect())
            of_none = decoded(batch.where("value = CAST('bad' AS BINARY)"))
            seen.extend(flat(row) for row in of_none.select("order.amount").collect())

        writer = rows.writeStream.foreachBatch(look).option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.trigger(availableNow=True).start()
        assert query.awaitTermination(PATIENCE)
    good = [("eu-1", "e", 5), ("eu-1", "e2", 7), ("us-1", "u", 6), ("us-1", "u2", 8)]
    assert Counter(seen) == Counter([*good, ("us-1", None), ("us-1", None), (None,)])
    # Each id once, though Spark looks at the batch several times.
    assert (first.asked, sorted(second.asked)) == (["/schemas/ids/1"], [f"/schemas/ids/{id_}" for id_ in (1, 2, 3)])


def test_bad_records_are_kept_aside_once_though_a_batch_runs_again(
    orders: Orders, spark: SparkSession, tmp_path: Path
) -> None:
    good = b'{"order_id": "e", "amount": 5}'
    bad = [b"no json", b"", b'{"order_id": "u", "amount": "many"}', b"\xff\xfe"]
    rows = orders([good, bad[0]], [*bad[1:], None, good], streaming=True)
    code = within(tmp_path, block("Bad records"))

    def run() -> tuple[list[tuple[object, ...]], list[tuple[str, bytes]]]:
        assert ran(code, orders=rows)["query"].awaitTermination(PATIENCE)
        kept = spark.read.parquet(str(tmp_path / "orders")).select("cluster", "order_id", "amount").collect()
        aside = spark.read.parquet(str(tmp_path / "bad-orders")).collect()
        return sorted(map(tuple, kept), key=str), sorted((row.cluster, bytes(row.value)) for row in aside)

    once = run()
    assert once[0] == [("eu-1", "e", 5), ("us-1", "e", 5), ("us-1", None, None)]
    assert once[1] == sorted([("eu-1", bad[0]), *(("us-1", one) for one in bad[1:])])
    for commit in (tmp_path / "checkpoint" / "commits").iterdir():
        commit.unlink()
    assert run() == once
