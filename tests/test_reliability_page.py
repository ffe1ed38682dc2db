"""`docs/internals/reliability.md`: each test that is named there exists."""

import re

from tests.promises.promised import ROOT, names_in

PAGE = ROOT / "docs" / "internals" / "reliability.md"
NAMED = re.compile(r"`(\w+\.py)` :: (\w+)")


def test_every_test_that_the_page_names_exists() -> None:
    named = sorted(set(NAMED.findall(PAGE.read_text())))
    assert named
    assert [f"{file} :: {name}" for file, name in named if name not in names_in(f"tests/scenarios/{file}")] == []
