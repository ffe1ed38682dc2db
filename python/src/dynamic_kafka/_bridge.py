"""Makes a metadata service or a subscriber callable by the JVM, as one function from JSON text to JSON text.

Py4J passes only text without loss. So a request is a JSON object `{"method": ...}` with the arguments. The answer is a
JSON object too, or `{"error": {"kind": "raised" | "type", "message": ...}}`.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from dynamic_kafka._metadata import ClusterMetadata, KafkaStream, MetadataService

_log = logging.getLogger("dynamic_kafka")

Subscriber: TypeAlias = Callable[[MetadataService], Collection[str]]
_Json: TypeAlias = dict[str, Any]
_Method: TypeAlias = Callable[[_Json], _Json]


class ServiceBridge:
    """Answers for one metadata service."""

    def __init__(self, service: MetadataService) -> None:
        self._service = service
        self._methods: dict[str, _Method] = {
            "all_streams": self._all_streams,
            "describe_streams": self._describe_streams,
            "is_cluster_active": self._is_cluster_active,
            "close": self._close,
        }

    def call(self, request: str) -> str:
        """The JSON answer to a JSON request. Raises nothing."""
        return _answer(self._methods, request)

    def _all_streams(self, _request: _Json) -> _Json:
        streams = self._service.all_streams()
        if isinstance(streams, (str, bytes, Mapping)) or not isinstance(streams, Collection):
            raise _wrong("all_streams", streams, "a collection of KafkaStream")
        described: dict[str, KafkaStream] = {}
        for stream in streams:
            if not isinstance(stream, KafkaStream):
                raise _wrong("all_streams", stream, "a collection of KafkaStream", among="a collection with")
            if described.setdefault(stream.stream_id, stream) != stream:
                raise _WrongResultError(f"all_streams returned two streams with the id {stream.stream_id!r}")
        return {"streams": [_stream_json(stream) for stream in described.values()]}

    def _describe_streams(self, request: _Json) -> _Json:
        streams = self._service.describe_streams(tuple(request["stream_ids"]))
        expected = "a mapping of stream id to KafkaStream"
        if not isinstance(streams, Mapping):
            raise _wrong("describe_streams", streams, expected)
        for key, stream in streams.items():
            if not isinstance(stream, KafkaStream):
                raise _wrong("describe_streams", stream, expected, among=f"for {key!r}")
            if key != stream.stream_id:
                raise _WrongResultError(f"describe_streams returned stream {stream.stream_id!r} for key {key!r}")
        return {"streams": [_stream_json(stream) for stream in streams.values()]}

    def _is_cluster_active(self, request: _Json) -> _Json:
        active = self._service.is_cluster_active(request["cluster_id"])
        if not isinstance(active, bool):
            raise _wrong("is_cluster_active", active, "a bool")
        return {"active": active}

    def _close(self, _request: _Json) -> _Json:
        self._service.close()
        return {}


class SubscriberBridge:
    """Answers for one subscriber. The subscriber gets the streams of the request as a metadata service."""

    def __init__(self, subscriber: Subscriber) -> None:
        self._subscriber = subscriber
        self._methods: dict[str, _Method] = {"subscribed_streams": self._subscribed_streams}

    def call(self, request: str) -> str:
        """The JSON answer to a JSON request. Raises nothing."""
        return _answer(self._methods, request)

    def _subscribed_streams(self, request: _Json) -> _Json:
        ids = self._subscriber(_FetchedStreams(map(_stream, request["streams"]), frozenset(request["inactive"])))
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Collection):
            raise _wrong("The stream subscriber", ids, "a collection of stream ids")
        for stream_id in ids:
            if not isinstance(stream_id, str):
                raise _wrong(
                    "The stream subscriber", stream_id, "a collection of stream ids", among="a collection with"
                )
        return {"stream_ids": sorted(set(ids))}


class _FetchedStreams(MetadataService):
    """The streams of one fetch, as a subscriber sees them."""

    def __init__(self, streams: Iterable[KafkaStream], inactive: frozenset[str]) -> None:
        self._streams = {stream.stream_id: stream for stream in streams}
        self._inactive = inactive

    def all_streams(self) -> Collection[KafkaStream]:
        return tuple(self._streams.values())

    def is_cluster_active(self, cluster_id: str) -> bool:
        return cluster_id not in self._inactive


class _WrongResultError(Exception):
    """A result of the wrong type. The text describes it."""


def _wrong(who: str, seen: object, expected: str, *, among: str = "") -> _WrongResultError:
    where = f"{among} " if among else ""
    return _WrongResultError(f"{who} returned {where}{type(seen).__name__}; expected {expected}")


def _answer(methods: Mapping[str, _Method], text: str) -> str:
    # BaseException: whatever the user's code raises, even SystemExit, is a failed fetch. It must not end the thread on
    # which Py4J serves the JVM. The JVM's log and error report it; the debug line is for Python's own log.
    try:
        request = json.loads(text)
        answer = methods[request["method"]](request)
    except _WrongResultError as wrong:
        answer = {"error": {"kind": "type", "message": str(wrong)}}
    except BaseException as raised:
        _log.debug("the answer to a metadata request failed", exc_info=True)
        answer = {"error": _raised(raised)}
    return json.dumps(answer)


def _raised(raised: BaseException) -> _Json:
    # Both work even if the exception's own `__str__` fails.
    message = "".join(traceback.format_exception_only(type(raised), raised)).strip()
    return {"kind": "raised", "message": message, "traceback": "".join(traceback.format_exception(raised))}


def _stream_json(stream: KafkaStream) -> _Json:
    return {
        "stream_id": stream.stream_id,
        "clusters": {id_: _cluster_json(cluster) for id_, cluster in sorted(stream.clusters.items())},
    }


def _cluster_json(cluster: ClusterMetadata) -> _Json:
    return {
        "topics": sorted(cluster.topics),
        "properties": dict(cluster.properties),
        "starting_offsets": cluster.starting_offsets,
        "ending_offsets": cluster.ending_offsets,
        "continues": sorted(cluster.continues),
        "paused": cluster.paused if isinstance(cluster.paused, bool) else sorted(cluster.paused),
    }


def _stream(fields: _Json) -> KafkaStream:
    return KafkaStream(
        fields["stream_id"], {id_: ClusterMetadata(**cluster) for id_, cluster in fields["clusters"].items()}
    )
