"""Values as producers with a schema encode them, byte by byte: no serializer is needed for a test's few."""

import struct


def with_header(schema_id: int, payload: bytes) -> bytes:
    """Behind the header of a schema registry."""
    return struct.pack(">bI", 0, schema_id) + payload


def avro(*fields: str | int) -> bytes:
    """A record of strings and longs in Avro's binary form."""
    return b"".join(_avro_text(one) if isinstance(one, str) else varint(_zigzag(one)) for one in fields)


def varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def _zigzag(number: int) -> int:
    return number * 2 if number >= 0 else -number * 2 - 1


def _avro_text(text: str) -> bytes:
    encoded = text.encode()
    return varint(_zigzag(len(encoded))) + encoded
