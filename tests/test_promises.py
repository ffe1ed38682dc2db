"""`docs/promises.md`: each promise has tests, and each test that is named there exists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "promises.md"
# What the page's paths of Scala tests are relative to.
SCALA = ROOT / "jvm" / "src" / "test" / "scala" / "io" / "github" / "dynamickafka" / "spark"
# How a Scala suite names a test: as it is, or filled in for each case of a table.
NAMED = re.compile(r'\b(?:test|property|check)\(\s*s?"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Promise:
    """One claim of the page, with the tests it names: file and name."""

    section: str
    text: str
    tests: list[tuple[str, str]] = field(default_factory=list)


def promises() -> Iterator[Promise]:
    section, current = "", None
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("- "):
            if current:
                yield current
            current = Promise(section, line.removeprefix("- "))
        elif current and line.startswith("  - "):
            file, _, name = line.removeprefix("  - ").partition(" :: ")
            current.tests.append((file.strip("`"), name))
    if current:
        yield current


@cache
def names_in(file: str) -> set[str]:
    """The tests of a file; none if there is no such file."""
    path = SCALA / file if file.endswith(".scala") else ROOT / file
    if not path.is_file():
        return set()
    text = path.read_text()
    if file.endswith(".scala"):
        return set(NAMED.findall(text))
    return set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))


def test_no_promise_is_made_twice() -> None:
    made = [(promise.section, promise.text) for promise in promises()]
    assert [promise for promise in made if made.count(promise) > 1] == []
    assert [promise.text for promise in promises() if len(set(promise.tests)) < len(promise.tests)] == []


def test_every_promise_names_a_test() -> None:
    assert [promise.text for promise in promises() if not promise.tests] == []


def test_every_test_that_a_promise_names_exists() -> None:
    named = sorted({test for promise in promises() for test in promise.tests})
    assert [f"{file} :: {name}" for file, name in named if name not in names_in(file)] == []


def test_the_promises_are_numbered_from_1_to_11() -> None:
    numbers = [promise.section.partition(".")[0] for promise in promises()]
    assert list(dict.fromkeys(number for number in numbers if number.isdigit())) == [str(n) for n in range(1, 12)]
