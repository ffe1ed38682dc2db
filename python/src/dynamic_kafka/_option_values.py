"""The options that a builder collected, how each kind of value gets among them, and the methods that take objects."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._load import OptionValue
from dynamic_kafka._metadata import MetadataService
from dynamic_kafka._offsets import Offsets, offsets_text
from dynamic_kafka._services import JvmMetadataService
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    # Type checkers know this module, and nothing needs it at run time.
    from typing_extensions import Self

Duration: TypeAlias = "str | timedelta"
"""A str with a unit, such as `10s`, `5m` or `100ms`, or a timedelta. A bare number is refused."""


class OptionValues:
    """Collects options. `OptionMethods` has a method for each plain value."""

    def __init__(self) -> None:
        # By lower-case key, because Spark ignores case in keys. Each with the key as it was written.
        self._options: dict[str, tuple[str, OptionValue]] = {}

    def metadata_service(self, service: MetadataService | JvmMetadataService | str) -> Self:
        """The metadata service: an object, a `JvmMetadataService`, or the name of a service on the JVM.

        >>> builder.metadata_service(YamlFileMetadataService("/etc/streams.yaml"))
        DynamicKafkaSourceBuilder(metadataService=YamlFileMetadataService('/etc/streams.yaml'))
        """
        if not isinstance(service, (MetadataService, JvmMetadataService, str)):
            raise OPTIONS.wrong_type("metadata_service", service, "a MetadataService, a JvmMetadataService or a str")
        return self._set("metadataService", service)

    def stream_ids(self, *stream_ids: str) -> Self:
        """The ids of the streams to read.

        >>> builder.stream_ids("orders", "refunds")
        DynamicKafkaSourceBuilder(streamIds='["orders", "refunds"]')
        """
        if not stream_ids:
            raise InvalidOptionError("stream_ids got no id; expected at least one.", option="streamIds")
        for stream_id in stream_ids:
            if not isinstance(stream_id, str):
                raise OPTIONS.wrong_type(
                    "An id in stream_ids", stream_id, "a str: pass a collection as stream_ids(*ids)"
                )
        # JSON, because an id may contain a comma.
        return self._set("streamIds", json.dumps(stream_ids, ensure_ascii=False))

    def stream_subscriber(self, subscriber: Subscriber | str) -> Self:
        """Reads the streams whose ids this function returns at each fetch. A str names a class on the JVM instead.

        >>> builder.stream_subscriber(lambda service: {s.stream_id for s in service.all_streams()})
        DynamicKafkaSourceBuilder(streamSubscriber=<function>)
        """
        if not callable(subscriber) and not isinstance(subscriber, str):
            raise OPTIONS.wrong_type("stream_subscriber", subscriber, "a function or the name of a class on the JVM")
        return self._set("streamSubscriber", subscriber)

    def _set(self, key: str, value: OptionValue) -> Self:
        self._options[key.lower()] = (key, value)
        return self

    def _text(self, key: str, value: str) -> Self:
        return self._set(key, OPTIONS.text(key, value))

    def _flag(self, key: str, value: bool) -> Self:
        return self._set(key, OPTIONS.flag(key, value))

    def _count(self, key: str, value: int) -> Self:
        return self._set(key, OPTIONS.count(key, value))

    def _duration(self, key: str, value: Duration) -> Self:
        return self._set(key, OPTIONS.duration(key, value))

    def _offsets(self, key: str, value: Offsets) -> Self:
        return self._set(key, offsets_text(OPTIONS, key, value))

    def _duration_or_off(self, key: str, value: Duration | Literal[-1]) -> Self:
        return self._set(key, "-1") if value == -1 else self._duration(key, value)
