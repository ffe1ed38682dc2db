"""Which tests show what pages say: each that a page or `tests/shown.yml` names exists, and the sums of
`docs/internals/sparks-suites.md` are those of its tables."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.promises.promised import ROOT, names_in

SHOWN = yaml.safe_load(Path(__file__).with_name("shown.yml").read_text())
INTERNALS = ROOT / "docs" / "internals"
SPARKS_SUITES = (INTERNALS / "sparks-suites.md").read_text()
ROWS = [line.split(" | ", 2) for line in SPARKS_SUITES.splitlines() if re.search(r" \| (same|differs) \| ", line)]
# Up to the end of a cell, or to the next test.
NAMED = re.compile(r"`([\w/]+\.(?:py|scala))` :: ([^;|\n]+?)(?=, `|;| \||\n)")


@pytest.mark.parametrize("page", ["reliability.md", "sparks-suites.md"])
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = sorted(set(NAMED.findall((INTERNALS / page).read_text())))
    assert len(named) > 40
    missing = []
    for file, text in named:
        names = names_in(f"tests/scenarios/{file}" if file.endswith(".py") else file)
        # What the page says of a test may follow, as a sentence of its own.
        if not any(text == name or text.startswith(f"{name}. ") for name in names):
            missing.append(f"{file} :: {text}")
    assert missing == []


def test_every_test_that_shows_something_exists() -> None:
    shown = [named for part in SHOWN.values() for named in part.values()]
    tests = [test for named in shown for test in (named if isinstance(named, list) else [named])]
    assert [test for test in tests if not exists(test)] == []


def exists(test: str) -> bool:
    file, _, name = test.partition("::")
    return name in names_in(file if "/" in file else f"tests/scenarios/{file}")


def test_each_way_in_has_tests() -> None:
    page = (ROOT / "docs" / "platforms.md").read_text()
    (table,) = re.findall(r"^\| way \|.*\n\| -.*\n((?:\| .*\n)+)", page, re.MULTILINE)
    ways = [line.removeprefix("| ").partition(" |")[0] for line in table.splitlines()]
    assert [one for one in zip(ways, SHOWN["ways"], strict=True) if not one[0].startswith(one[1])] == []
    assert all(SHOWN["ways"].values())


def test_each_case_of_sparks_suites_that_is_the_same_names_a_test_and_each_other_one_a_reason() -> None:
    for case, outcome, text in ROWS:
        assert bool(NAMED.search(f"{text}\n")) == (outcome == "same"), case
        assert len(text) > 20, case


def test_the_sums_of_sparks_suites_are_those_of_the_tables() -> None:
    counted = Counter(outcome for _, outcome, _ in ROWS)
    share = 100 * counted["same"] / counted.total()
    said = f"Of their {counted.total()} cases {counted['same']} are the same here: {share:.1f} %."
    assert said in SPARKS_SUITES
    assert len(ROWS) > 150
