"""What the JVM is answered, whatever a service or subscriber does."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

import pytest

from dynamic_kafka import ClusterMetadata, InMemoryMetadataService, KafkaStream, MetadataService
from dynamic_kafka._bridge import ServiceBridge, Subscriber, SubscriberBridge
from dynamic_kafka._jvm import _own_methods

ORDERS = KafkaStream(
    "orders",
    {
        "eu-1": ClusterMetadata(
            ["b", "a"],
            bootstrap_servers="x:1",
            starting_offsets="earliest",
            ending_offsets={"a": 5},
            continues=["eu-0", "b0:1"],
            paused={"b", "a"},
        )
    },
)
ORDERS_JSON = {
    "stream_id": "orders",
    "clusters": {
        "eu-1": {
            "topics": ["a", "b"],
            "properties": {"bootstrap.servers": "x:1"},
            "starting_offsets": "earliest",
            "ending_offsets": '{"a":5}',
            "continues": ["b0:1", "eu-0"],
            "paused": ["a", "b"],
        }
    },
}


class Scripted(MetadataService):
    """Answers each call by one function, which gets the call's arguments, and counts closes."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer
        self.closed = 0

    def all_streams(self) -> Collection[KafkaStream]:
        return cast("Collection[KafkaStream]", self._answer())

    def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
        return cast("Mapping[str, KafkaStream]", self._answer(stream_ids))

    def is_cluster_active(self, cluster_id: str) -> bool:
        return cast("bool", self._answer(cluster_id))

    def close(self) -> None:
        self.closed += 1


class Listed(MetadataService):
    """A service with the one method that it needs."""

    def all_streams(self) -> Collection[KafkaStream]:
        return [ORDERS, KafkaStream("refunds", {})]


def test_a_service_of_one_method_has_answers_for_the_others() -> None:
    service = Listed()
    assert service.describe_streams(["orders", "none"]) == {"orders": ORDERS}
    assert (service.is_cluster_active("eu-1"), service.is_cluster_active("us-1")) == (True, False)
    service.close()


def test_the_jvm_is_told_which_methods_a_service_has_itself() -> None:
    class Described(Listed):
        def describe_streams(self, stream_ids: Collection[str]) -> Mapping[str, KafkaStream]:
            return {}

    assert list(_own_methods(Listed())) == [False, False]
    assert list(_own_methods(Described())) == [True, False]
    assert list(_own_methods(InMemoryMetadataService())) == [True, True]


REQUESTS = {
    "all_streams": {"method": "all_streams"},
    "describe_streams": {"method": "describe_streams", "stream_ids": ["orders"]},
    "is_cluster_active": {"method": "is_cluster_active", "cluster_id": "eu-1"},
}


def ask(service: MetadataService, method: str, **arguments: object) -> Any:
    return json.loads(ServiceBridge(service).call(json.dumps({"method": method, **arguments})))


def result(method: str, returned: object) -> Any:
    return json.loads(ServiceBridge(Scripted(lambda *_: returned)).call(json.dumps(REQUESTS[method])))


def subscribed(subscriber: object, *streams: object, inactive: Collection[str] = ()) -> Any:
    request = {"method": "subscribed_streams", "streams": streams, "inactive": list(inactive)}
    return json.loads(SubscriberBridge(cast("Subscriber", subscriber)).call(json.dumps(request)))


def test_all_streams_are_told_with_all_their_fields() -> None:
    assert ask(InMemoryMetadataService([ORDERS]), "all_streams") == {"streams": [ORDERS_JSON]}


def said(cluster: ClusterMetadata) -> Any:
    service = InMemoryMetadataService([KafkaStream("s", {"c": cluster})])
    return ask(service, "all_streams")["streams"][0]["clusters"]["c"]


def test_offsets_that_are_not_set_are_null_and_nothing_is_continued_or_paused() -> None:
    assert said(ClusterMetadata([])) == {
        "topics": [],
        "properties": {},
        "starting_offsets": None,
        "ending_offsets": None,
        "continues": [],
        "paused": False,
    }


@pytest.mark.parametrize("paused", [True, False])
def test_a_pause_of_the_whole_cluster_is_a_boolean(paused: bool) -> None:
    assert said(ClusterMetadata([], paused=paused))["paused"] is paused


def test_described_streams_are_those_asked_for_and_known() -> None:
    service = InMemoryMetadataService([ORDERS, KafkaStream("refunds", {})])
    assert ask(service, "describe_streams", stream_ids=["orders", "none"]) == {"streams": [ORDERS_JSON]}


def test_activity_is_told() -> None:
    service = InMemoryMetadataService()
    service.deactivate("eu-1")
    assert ask(service, "is_cluster_active", cluster_id="eu-1") == {"active": False}
    assert ask(service, "is_cluster_active", cluster_id="us-1") == {"active": True}


def test_close_closes_the_service() -> None:
    service = Scripted(lambda: ())
    assert ask(service, "close") == {}
    assert service.closed == 1


@pytest.mark.parametrize("text", ["ümläut", "a\nb", '"quoted"', "日本", "\ud800", "\x00"])
def test_ids_of_any_characters_arrive_as_one_line_of_ascii(text: str) -> None:
    answer = ServiceBridge(InMemoryMetadataService([KafkaStream(text, {})])).call('{"method": "all_streams"}')
    assert answer.isascii()
    assert "\n" not in answer
    assert json.loads(answer)["streams"][0]["stream_id"] == text


@pytest.mark.parametrize("streams", [(), [], set(), {}.values(), {ORDERS}, [ORDERS, ORDERS]])
def test_any_collection_of_streams_is_accepted(streams: Collection[KafkaStream]) -> None:
    assert "streams" in result("all_streams", streams)


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("all_streams", 7, "all_streams returned int; expected a collection of KafkaStream"),
        ("all_streams", None, "all_streams returned NoneType; expected a collection of KafkaStream"),
        ("all_streams", "orders", "all_streams returned str; expected a collection of KafkaStream"),
        ("all_streams", {"orders": ORDERS}, "all_streams returned dict; expected a collection of KafkaStream"),
        ("all_streams", iter([ORDERS]), "all_streams returned list_iterator; expected a collection of KafkaStream"),
        ("all_streams", ["a"], "all_streams returned a collection with str; expected a collection of KafkaStream"),
        (
            "all_streams",
            [ORDERS, KafkaStream("orders", {})],
            "all_streams returned two streams with the id 'orders'",
        ),
        (
            "describe_streams",
            [ORDERS],
            "describe_streams returned list; expected a mapping of stream id to KafkaStream",
        ),
        (
            "describe_streams",
            {"orders": None},
            "describe_streams returned for 'orders' NoneType; expected a mapping of stream id to KafkaStream",
        ),
        ("describe_streams", {"o": ORDERS}, "describe_streams returned stream 'orders' for key 'o'"),
        ("is_cluster_active", None, "is_cluster_active returned NoneType; expected a bool"),
        ("is_cluster_active", 1, "is_cluster_active returned int; expected a bool"),
    ],
)
def test_a_result_of_a_wrong_type_is_told_as_such(method: str, returned: object, message: str) -> None:
    assert result(method, returned) == {"error": {"kind": "type", "message": message}}


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (ValueError("no such table"), "ValueError: no such table"),
        (KeyError("orders"), "KeyError: 'orders'"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (SystemExit(3), "SystemExit: 3"),
        (UnprintableError(), "UnprintableError: <exception str() failed>"),
    ],
)
@pytest.mark.parametrize("method", REQUESTS)
def test_whatever_a_service_raises_is_told_with_its_traceback(method: str, raised: Exception, message: str) -> None:
    def fail(*_: object) -> None:
        raise raised

    error = json.loads(ServiceBridge(Scripted(fail)).call(json.dumps(REQUESTS[method])))["error"]
    assert error["kind"] == "raised"
    assert error["message"].endswith(message)
    assert error["traceback"].startswith("Traceback (most recent call last):")
    assert "raise raised" in error["traceback"]


def test_what_a_collection_raises_while_it_is_read_is_the_services_failure() -> None:
    class Broken(list[KafkaStream]):
        def __iter__(self) -> Any:
            raise OSError("connection lost")

    assert result("all_streams", Broken())["error"]["message"] == "OSError: connection lost"


@pytest.mark.parametrize(
    "request_text", ["no JSON", "{}", '{"method": "drop_table"}', '{"method": "describe_streams"}']
)
def test_a_request_that_is_not_understood_is_answered_all_the_same(request_text: str) -> None:
    assert json.loads(ServiceBridge(InMemoryMetadataService()).call(request_text))["error"]["kind"] == "raised"


def test_a_subscriber_sees_the_streams_and_the_activity_of_the_fetch() -> None:
    seen: list[object] = []

    def choose(service: MetadataService) -> Collection[str]:
        seen.extend([*service.all_streams(), service.describe_streams(["orders", "none"])])
        seen.extend([service.is_cluster_active("eu-1"), service.is_cluster_active("us-1")])
        return ["b", "a", "b"]

    assert subscribed(choose, ORDERS_JSON, inactive=["us-1"]) == {"stream_ids": ["a", "b"]}
    assert seen == [ORDERS, {"orders": ORDERS}, True, False]


@pytest.mark.parametrize(
    ("returned", "seen"),
    [("orders", "str"), (None, "NoneType"), ([1], "a collection with int"), (iter(["a"]), "list_iterator")],
)
def test_a_subscriber_that_returns_a_wrong_type_is_told_as_such(returned: object, seen: str) -> None:
    message = f"The stream subscriber returned {seen}; expected a collection of stream ids"
    assert subscribed(lambda _: returned) == {"error": {"kind": "type", "message": message}}


def test_what_a_subscriber_raises_is_told() -> None:
    assert subscribed(lambda _: 1 / 0)["error"]["message"] == "ZeroDivisionError: division by zero"
