"""Everything public has a docstring, most have an example, and the examples are true. Nothing here starts Spark."""

from __future__ import annotations

import doctest
import inspect
import re
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import dynamic_kafka
from dynamic_kafka import DynamicKafkaSourceBuilder as Builder
from dynamic_kafka import _builder, errors
from dynamic_kafka._option_methods import OptionMethods
from dynamic_kafka.migrate import read_checkpoint

# Names of types, whose docstrings Python does not keep.
ALIASES = {"ConfigValue", "Duration", "OffsetLevel", "Offsets", "Subscriber"}

# Shown to be true by tests of their own, with Spark: test_session.py and tests/scenarios.
WITH_SPARK = {"configure_spark", "offsets_after"}

# Their signature says it all, and one example is for all of them: the builder's, and that of the errors' base.
WITHOUT_EXAMPLE = {f"{Builder.__name__}.{name}" for name in vars(OptionMethods)} | {
    kind.__name__ for kind in errors.DynamicKafkaError.__subclasses__()
}

FAILURE = Exception(
    "An error occurred while calling o42.count.\n: org.apache.spark.SparkException: Job aborted due to stage failure: "
    "java.lang.IllegalArgumentException: [DYNAMIC_KAFKA_DATA_LOSS] Records of topic orders aged out. "
    'Fields: {"cluster":"eu-1","topic":"orders","partition":3}\n\tat a.b(C.scala:1)'
)


# What Spark reports of a query over two clusters, one of which does not answer.
REPORTED = {
    "name": "orders",
    "batchId": 7,
    "timestamp": "2026-11-22T09:00:00.000Z",
    "sources": [
        {
            "metrics": {
                "kafkaClustersCount": "2",
                "pendingRecords": "40",
                "lastTopologyChange": "2026-11-22T09:00:01Z appeared=[us-1/orders]",
                "cluster.eu-1.state": "reading",
                "cluster.eu-1.pendingRecords": "0",
                "cluster.eu-1.recordsPerSecond": "5.0",
                "cluster.us-1.state": "unavailable",
                "cluster.us-1.pendingRecords": "40",
                "cluster.us-1.cause": "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] Cannot read the topics of cluster us-1.",
            }
        }
    ],
}


def documented() -> dict[str, Any]:
    names = [name for name in dynamic_kafka.__all__ if name not in ALIASES]
    found = {name: getattr(dynamic_kafka, name) for name in names} | {
        name: getattr(errors, name) for name in errors.__all__
    }
    methods = {f"{Builder.__name__}.{name}": value for name, value in inspect.getmembers(Builder) if name[0] != "_"}
    return found | methods


@pytest.mark.parametrize("name", documented())
def test_an_example_in_a_docstring_is_true(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = documented()[name]
    monkeypatch.setattr(_builder, "load", lambda _spark, _options, *, batch: "rows")
    module = inspect.getmodule(value)
    assert isinstance(module, ModuleType)
    here: dict[str, Any] = {"spark": None, "builder": Builder(None), "failure": FAILURE}  # type: ignore[arg-type]
    names = {**vars(dynamic_kafka), **vars(errors), **vars(module), **here}
    names |= {"query": SimpleNamespace(recentProgress=[REPORTED])}
    names |= {
        "progress": dynamic_kafka.progress,
        "service": dynamic_kafka.InMemoryMetadataService(),
        "read_checkpoint": read_checkpoint,
    }
    examples = doctest.DocTestParser().get_doctest(inspect.getdoc(value) or "", names, name, None, None)
    assert value.__doc__, "there is no docstring"
    assert examples.examples or name in WITHOUT_EXAMPLE, "there is no example"
    if name in WITH_SPARK:
        return
    shown: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=shown.append).failed
    assert not failed, "".join(shown)


# Of the standard library, and of libraries that users know.
ELSEWHERE = {
    *("Any", "BaseException", "Collection", "Iterable", "Literal", "Mapping", "None", "Path", "PathLike", "Self"),
    *("Builder", "Column", "DataFrame", "Figure", "Sequence", "SparkSession", "Unpack"),
}


def test_what_public_calls_take_and_return_can_be_imported() -> None:
    calls = [value for value in documented().values() if inspect.isfunction(value)]
    for kind in (value for value in documented().values() if inspect.isclass(value)):
        public = [member for name, member in vars(kind).items() if name[0] != "_" or name == "__init__"]
        calls += [getattr(member, "fget", None) or getattr(member, "__func__", member) for member in public]
    named = {
        name
        for call in calls
        if inspect.isfunction(call)
        for annotation in call.__annotations__.values()
        for name in re.findall(r"\b[A-Z][a-z]\w+", str(annotation))
    }
    assert named - ELSEWHERE - set(dynamic_kafka.__all__) - set(errors.__all__) == set()
