"""A pytest plugin: shares the files of tests among processes so that all end at about the same time.

``python -m tests.file_order`` writes ``tests/seconds.txt`` anew, from the report of the last whole run.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "seconds.txt"
REPORT = ROOT / "build" / "test-reports" / "e2e" / "pytest.xml"
# Of a file that is not in the record.
UNKNOWN = 30


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, where several processes take one file after the other."""
    if hasattr(config, "workerinput"):
        order = longest_first({_file(item) for item in items}, recorded())
        items.sort(key=lambda item: order.index(_file(item)))


def longest_first(files: Iterable[str], known: Mapping[str, int]) -> list[str]:
    return sorted(files, key=lambda file: (-known.get(file, UNKNOWN), file))


def recorded() -> dict[str, int]:
    """How many seconds each file took, as last written down."""
    lines = [line.split() for line in RECORD.read_text().splitlines()]
    return {file: int(seconds) for seconds, file in lines}


def main() -> None:
    took: dict[str, float] = {}
    for case in ElementTree.parse(REPORT).iter("testcase"):  # noqa: S314 - our own
        file = case.attrib["classname"].replace(".", "/") + ".py"
        took[file] = took.get(file, 0) + float(case.attrib["time"])
    lines = sorted((f"{round(seconds):4} {file}" for file, seconds in took.items()), reverse=True)
    RECORD.write_text("\n".join(lines) + "\n")


def _file(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    main()
