"""``python -m tests.promises.page`` writes docs/internals/promises.md."""

from collections.abc import Iterator

from tests.promises.promised import ROOT, Break, NamedTest, breaks, promises

PAGE = ROOT / "docs" / "internals" / "promises.md"
_HEAD = """# What the source promises, and which tests check it

Each promise, with the tests that fail if it is broken. A Scala suite is named by its path below
`jvm/src/test/scala/io/github/dynamickafka/spark`; these run without brokers and without Spark. A Python test is named
by its path from the top; those below `tests/scenarios` run on real brokers. A `$` in a name stands for the cases of a
table.

Below a test stands what was broken to see it fail, and in which file. `make breaks` breaks each of these rules again,
and reports tests that no longer fail. The promises are in `tests/promises/promises.yaml`, the broken rules in
`tests/promises/broken.yaml`; `make docs` makes this page of both.
"""


def page() -> str:
    return "\n".join([_HEAD.rstrip("\n"), *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    section = ""
    broken = list(breaks())
    for promise in promises():
        if promise.section != section:
            section = promise.section
            yield from ("", f"## {section}", "")
        yield f"- {promise.text}"
        for test in promise.tests:
            yield f"  - `{test.file}` :: {test.name}"
            yield from (f"    - fails when {one.when} (`{one.file}`)" for one in _of(test, broken))


def _of(test: NamedTest, broken: list[Break]) -> Iterator[Break]:
    return (one for one in broken if test in one.fails)


if __name__ == "__main__":
    PAGE.write_text(page())
