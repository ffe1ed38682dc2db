"""The promises, as `promises.yaml` has them, and the breaks of `broken.yaml`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).parent
# What paths of Scala are relative to, of the source and of its tests.
_MAIN, _TEST = (ROOT / "jvm" / "src" / kind / "scala/io/github/dynamickafka/spark" for kind in ("main", "test"))
# How a Scala suite names a test: as it is, or filled in for each case of a table.
_NAMED = re.compile(r'\b(?:test|property|check|starts)\(\s*s?"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, order=True)
class NamedTest:
    """One that promises name: its file and its name."""

    file: str
    name: str

    @staticmethod
    def of(text: str) -> "NamedTest":
        file, _, name = text.partition(" :: ")
        return NamedTest(file, name)

    def __str__(self) -> str:
        return f"{self.file} :: {self.name}"

    @property
    def exists(self) -> bool:
        return self.name in names_in(self.file)


@dataclass(frozen=True)
class Promise:
    section: str
    text: str
    tests: tuple[NamedTest, ...]


@dataclass(frozen=True)
class Break:
    """A rule that was broken: in a file, `new` stood for `old`. Tests fail when this is so."""

    file: str
    when: str
    old: str
    new: str
    fails: tuple[NamedTest, ...]

    @property
    def path(self) -> Path:
        return (_MAIN if self.file.endswith(".scala") else ROOT) / self.file


def promises() -> Iterator[Promise]:
    for section in _read("promises.yaml"):
        for promise in section["promises"]:
            yield Promise(section["section"], promise["promise"], _tests(promise["tests"]))


def breaks() -> list[Break]:
    return [Break(one["in"], one["when"], one["old"], one["new"], _tests(one["fails"])) for one in _read("broken.yaml")]


@cache
def names_in(file: str) -> set[str]:
    """The tests of a file; none if there is no such file."""
    path = _TEST / file if file.endswith(".scala") else ROOT / file
    if not path.is_file():
        return set()
    text = path.read_text()
    if file.endswith(".scala"):
        return set(_NAMED.findall(text))
    return set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))


def _tests(named: list[str]) -> tuple[NamedTest, ...]:
    return tuple(map(NamedTest.of, named))


@cache
def _read(name: str) -> Any:
    return yaml.safe_load((_HERE / name).read_text())
