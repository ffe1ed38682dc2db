"""`docs/recipes.md`: a test runs each of its blocks."""

import re

from tests.readme import ROOT
from tests.recipes import blocks

_TESTS = (
    "tests/scenarios/test_recipes.py",
    "tests/scenarios/test_active_active.py",
    "tests/matrix/test_lakes.py",
    "tests/matrix/test_scala_blocks.py",
)
_TAKEN = re.compile(r'\bblock\("([^"]+)"(?:, "(\w+)")?\)')


def test_a_test_takes_each_block_of_the_page() -> None:
    taken = {
        (heading, language or "python")
        for file in _TESTS
        for heading, language in _TAKEN.findall((ROOT / file).read_text())
    }
    there = {(heading, language) for heading, those in blocks().items() for language in those}
    assert len(there) > 9
    assert there - taken == set()
