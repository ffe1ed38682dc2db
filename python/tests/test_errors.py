"""The exceptions, and how they are found behind those of Spark."""

from __future__ import annotations

import pickle

import pytest

from dynamic_kafka import errors
from dynamic_kafka.errors import ClusterUnreachableError, DynamicKafkaError, InvalidOptionError, find_error

OURS = "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cannot read eu-2.\nThe others go on."


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
    assert str(found) == OURS
    assert found.condition == "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE"


def test_a_traceback_inside_our_text_is_kept_whole() -> None:
    text = '[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] It raised.\n  File "x.py", line 1, in f\n    at = 5\n    SQLSTATE: 1'
    assert str(find_error(CapturedError(text))) == text


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
    assert (type(copied), str(copied)) == (InvalidOptionError, "[DYNAMIC_KAFKA_INVALID_OPTION] stream_ids is empty.")


def test_every_kind_is_public_and_found_by_its_condition() -> None:
    public = {getattr(errors, name) for name in errors.__all__ if name.endswith("Error")}
    by_condition = {kind for kind in public if "condition" in vars(kind)} - {DynamicKafkaError}
    assert {type(find_error(Exception(f"[{kind.condition}] x"))) for kind in by_condition} == by_condition
    assert all(kind is DynamicKafkaError or issubclass(kind, DynamicKafkaError) for kind in public)
