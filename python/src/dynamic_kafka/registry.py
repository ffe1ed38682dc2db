"""Splits off the header that serializers of a schema registry put before a value, by Spark's own functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["split_header", "split_protobuf_header"]

_HEADER_BYTES = 5
# To the end, whatever the length is.
_REST = 2**31 - 1
# Where the message indexes must end. A hundred levels of nested messages fit, and only so much of a value is made text.
_INDEX_BYTES = 128
# One index in hex: a zigzag varint. Even, because no index is negative; of two bytes at most: up to 8191.
_INDEX = "(?:[89A-F][02468ACE][0-7].|[0-7][02468ACE])"


def split_header(value: Column | str) -> Column:
    """The header and the payload of a value: a struct of `schema_id INT` and `payload BINARY`.

    The header is a zero byte and four bytes with the id that the schema has in its registry. Avro and JSON values have
    just this header; for Protobuf values use `split_protobuf_header`.

    A value without such a header gives null, and so does null: nothing here fails a query.

        >>> framed = orders.withColumn("framed", split_header("value"))
        >>> framed.select("framed.schema_id", "framed.payload")

    Ids belong to one registry. If clusters have registries of their own, an id without its cluster means nothing.
    """
    from pyspark.sql import functions as sql

    given = sql.col(value) if isinstance(value, str) else value
    parts = sql.struct(_schema_id(given).alias("schema_id"), _after(_HEADER_BYTES, given).alias("payload"))
    return sql.when(_has_header(given), parts)


def split_protobuf_header(value: Column | str) -> Column:
    """The same of a Protobuf value: a struct of `schema_id INT`, `message_indexes ARRAY<INT>` and `payload BINARY`.

    Protobuf serializers write after the header which message of the `.proto` file it is: `[0]` is the first one,
    `[2, 1]` the second one inside the third one.

    A value without such a header, or with indexes that can't be read, gives null, and so does null.

        >>> framed = orders.withColumn("framed", split_protobuf_header("value"))
        >>> first = framed.where("framed.message_indexes = array(0)").select("framed.payload")
    """
    from pyspark.sql import functions as sql

    given = sql.col(value) if isinstance(value, str) else value
    text = _index_text(given)
    payload = sql.call_function("substr", given, sql.lit(_HEADER_BYTES + 1) + (sql.length(text) / 2).cast("int"))
    parts = sql.struct(
        _schema_id(given).alias("schema_id"), _indexes(text).alias("message_indexes"), payload.alias("payload")
    )
    return sql.when(_has_header(given) & (sql.length(text) > 0), parts)


def _has_header(value: Column) -> Column:
    from pyspark.sql import functions as sql

    # An id is never negative.
    begins = sql.hex(sql.substring(value, 1, 2)).rlike("^00[0-7]")
    return begins & (sql.length(value) >= _HEADER_BYTES)


def _schema_id(value: Column) -> Column:
    from pyspark.sql import functions as sql

    # What is no id is not looked at; `try` only has it not fail where Spark evaluates it all the same.
    return sql.conv(sql.hex(sql.substring(value, 2, 4)), 16, 10).try_cast("int")


def _after(count: int, value: Column) -> Column:
    from pyspark.sql import functions as sql

    return sql.substring(value, count + 1, _REST)


def _index_text(value: Column) -> Column:
    """In hex, how many indexes there are and then each of them; empty or null if that can't be read. For the first
    message serializers write a zero alone."""
    from pyspark.sql import functions as sql

    head = sql.hex(sql.substring(value, _HEADER_BYTES + 1, _INDEX_BYTES))
    count = sql.conv(sql.regexp_extract(head, "^([0-7][02468ACE])", 1), 16, 10).try_cast("int") / 2
    pattern = sql.concat(sql.lit(f"^..{_INDEX}{{"), count.cast("int").cast("string"), sql.lit("}"))
    counted = sql.call_function("regexp_extract", head, pattern, sql.lit(0))
    return sql.when(sql.substring(head, 1, 2) == "00", sql.lit("00")).otherwise(counted)


def _indexes(text: Column) -> Column:
    from pyspark.sql import functions as sql

    def number(index: Column) -> Column:
        first = sql.conv(sql.substring(index, 1, 2), 16, 10).try_cast("int").bitwiseAND(sql.lit(127))
        second = sql.coalesce(sql.conv(sql.substring(index, 3, 2), 16, 10).try_cast("int"), sql.lit(0))
        return ((first + second * 128) / 2).cast("int")

    each = sql.regexp_extract_all(sql.substring(text, 3, _REST), sql.lit(_INDEX), sql.lit(0))
    return sql.when(text == "00", sql.array(sql.lit(0))).otherwise(sql.transform(each, number))
