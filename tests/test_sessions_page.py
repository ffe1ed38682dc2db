"""`docs/sessions.md`: each way in names a test that exists."""

import re

from tests.promises.promised import ROOT, names_in

PAGE = ROOT / "docs" / "sessions.md"
NAMED = re.compile(r"`(tests/\S+\.py)` :: (test_\w+)")


def test_every_way_in_names_a_test_that_exists() -> None:
    ways = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][2:]
    named = [NAMED.findall(way) for way in ways]
    assert len(ways) > 10
    assert [way for way, tests in zip(ways, named, strict=True) if not tests] == []
    assert [name for tests in named for file, name in tests if name not in names_in(file)] == []
