"""The exceptions, and how they are found behind those of Spark."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from dynamic_kafka import DynamicKafkaSource, errors
from dynamic_kafka.cli.explain import conditions
from dynamic_kafka.errors import (
    ClusterUnreachableError,
    DynamicKafkaError,
    InvalidOptionError,
    OptionTypeError,
    find_error,
)

OURS = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cannot read eu-2.\nThe others go on."
HELP = "More: dynamic-kafka explain CLUSTER_UNREACHABLE."


class CapturedError(Exception):
    """As PySpark's: the message, its cause on the JVM, and a longer text."""

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        self._desc = message
        self._cause = cause

    def __str__(self) -> str:
        return f"{self._desc}\n\nJVM stacktrace:\njava.lang.X: y\n\tat z"


FAILED = f"[STREAM_FAILED] Query [id = 1] terminated with exception: {OURS} SQLSTATE: XXKST\n=== Streaming Query ===\nX"


@pytest.mark.parametrize(
    "exception",
    [
        CapturedError(OURS),
        CapturedError(FAILED, CapturedError(OURS)),
        CapturedError(FAILED),
        Exception(f"An error occurred while calling o42.load.\n: x.DynamicKafkaException: {OURS}\n\tat a.b(C.scala:1)"),
        Exception(f"(java.lang.IllegalArgumentException) {OURS}\n\nJVM stacktrace:\njava.lang.X"),
        ClusterUnreachableError(OURS),
    ],
)
def test_the_error_behind_an_exception_of_sparks_is_found_with_its_text_alone(exception: Exception) -> None:
    found = find_error(exception)
    assert type(found) is ClusterUnreachableError
    assert str(found) == f"{OURS}\n{HELP}"
    assert found.condition == "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"


# Written and read by the JVM's tests too: all kinds of names, some hostile, under each condition.
TEXTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("error_texts.json").read_text("utf-8"))
ATTRIBUTES = TEXTS[0].keys() - {"text"}


@pytest.mark.parametrize("known", TEXTS, ids=[f"{i}-{known['condition']}" for i, known in enumerate(TEXTS)])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: CapturedError(text),
        lambda text: CapturedError("[STREAM_FAILED] Query terminated.", CapturedError(text)),
        lambda text: Exception(
            f"[STREAM_FAILED] Query [id = 1] failed: {text} SQLSTATE: XXKST\n=== Streaming Query ===\nX"
        ),
        lambda text: Exception(
            f"Job aborted: Lost task 0.0: java.lang.IllegalArgumentException: {text}\n\tat a.b(C.scala:1)"
        ),
        lambda text: Exception(f"(java.lang.IllegalArgumentException) {text}\n\nJVM stacktrace:\njava.lang.X"),
    ],
    ids=["itself", "cause", "failed query", "failed job", "Connect"],
)
def test_the_fields_of_an_error_come_back_from_its_text(wrap: Any, known: dict[str, Any]) -> None:
    found = find_error(wrap(known["text"]))
    assert found is not None
    assert str(found) == known["text"]
    seen = {name: getattr(found, name) for name in ATTRIBUTES}
    assert json.loads(json.dumps(seen)) == {name: known[name] for name in ATTRIBUTES}
    copied = pickle.loads(pickle.dumps(found))  # noqa: S301, our own bytes
    assert {name: getattr(copied, name) for name in ATTRIBUTES} == seen


def test_the_text_names_the_command_that_explains_its_condition_once() -> None:
    for text in (OURS, f"{OURS}\n{HELP}", str(ClusterUnreachableError(OURS))):
        assert str(ClusterUnreachableError(text)) == f"{OURS}\n{HELP}"
    error = ClusterUnreachableError('Gone. Fields: {"cluster":"a"}')
    assert str(error) == f'[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Gone. {HELP} Fields: {{"cluster":"a"}}'
    assert (error.cluster, error.detail) == ("a", "Gone.")
    assert str(DynamicKafkaError("It ended.")) == "[DYNAMIC_KAFKA_FAILED] It ended."


def test_what_the_text_names_is_a_command_that_there_is() -> None:
    named = {kind("x").args[0].rpartition("More: ")[2] for kind in (ClusterUnreachableError, InvalidOptionError)}
    for command in named:
        program, name, condition = command.removesuffix(".").split()
        assert (program, name) == ("dynamic-kafka", "explain")
        assert f"DYNAMIC_KAFKA_{condition}" in conditions()


def test_the_detail_has_neither_the_condition_nor_the_fields() -> None:
    assert DynamicKafkaError('[DYNAMIC_KAFKA_DATA_LOSS] Gone. Fields: {"cluster":"a"}').detail == "Gone."
    assert DynamicKafkaError("Gone. Fields: {of wheat}").detail == "Gone. Fields: {of wheat}"


def test_an_error_of_pythons_own_names_its_option() -> None:
    with pytest.raises(OptionTypeError) as raised:
        DynamicKafkaSource.builder(None).drain_timeout(10)  # type: ignore[arg-type]
    assert (raised.value.option, raised.value.cluster, raised.value.options) == (
        "drainTimeout",
        None,
        ("drainTimeout",),
    )


def test_a_traceback_inside_our_text_is_kept_whole() -> None:
    text = '[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] It raised.\n  File "x.py", line 1, in f\n    at = 5\n    SQLSTATE: 1'
    found = find_error(CapturedError(text))
    assert str(found) == f"{text}\nMore: dynamic-kafka explain METADATA_UNAVAILABLE."
    assert found is not None
    assert f"[{found.condition}] {found.detail}" == text


def test_an_exception_that_is_not_ours_is_not_taken_for_one() -> None:
    assert find_error(ValueError("[DATA_SOURCE_NOT_FOUND] no")) is None


def test_causes_that_lead_in_a_circle_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert find_error(first) is None


def test_a_condition_of_a_newer_jar_is_found_too() -> None:
    found = find_error(CapturedError("[DYNAMIC_KAFKA_QUOTA_EXCEEDED] Too much."))
    assert type(found) is DynamicKafkaError
    assert found.condition == "DYNAMIC_KAFKA_QUOTA_EXCEEDED"


def test_an_error_survives_pickle() -> None:
    error = InvalidOptionError("stream_ids is empty.")
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301, our own bytes
    assert (type(copied), str(copied)) == (InvalidOptionError, str(error))


def test_every_kind_is_public_and_found_by_its_condition() -> None:
    public = {getattr(errors, name) for name in errors.__all__ if name.endswith("Error")}
    by_condition = {kind for kind in public if "condition" in vars(kind)} - {DynamicKafkaError}
    assert {type(find_error(Exception(f"[{kind.condition}] x"))) for kind in by_condition} == by_condition
    assert all(kind is DynamicKafkaError or issubclass(kind, DynamicKafkaError) for kind in public)
