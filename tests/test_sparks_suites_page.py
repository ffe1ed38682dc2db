"""`docs/internals/sparks-suites.md`: each test that is named there exists, and its sums are those of its tables."""

import re
from collections import Counter

from tests.promises.promised import ROOT, names_in

TEXT = (ROOT / "docs" / "internals" / "sparks-suites.md").read_text()
ROWS = [line.split(" | ", 2) for line in TEXT.splitlines() if re.search(r" \| (same|differs) \| ", line)]
NAMED = re.compile(r"`([\w/]+\.(?:py|scala))` :: ([^;|\n]+)")


def test_every_test_that_the_page_names_exists() -> None:
    named = sorted(set(NAMED.findall(TEXT)))
    assert len(named) > 40
    missing = []
    for file, text in named:
        names = names_in(f"tests/scenarios/{file}" if file.endswith(".py") else file)
        # What the page says of a test may follow, as a sentence of its own.
        if not any(text.strip() in (name, f"{name} |") or text.startswith(f"{name}. ") for name in names):
            missing.append(f"{file} :: {text}")
    assert missing == []


def test_each_case_that_is_the_same_names_a_test_and_each_other_one_a_reason() -> None:
    for case, outcome, text in ROWS:
        assert bool(NAMED.search(text)) == (outcome == "same"), case
        assert len(text) > 20, case


def test_the_sums_are_those_of_the_tables() -> None:
    counted = Counter(outcome for _, outcome, _ in ROWS)
    share = 100 * counted["same"] / counted.total()
    said = f"Of their {counted.total()} cases {counted['same']} are the same here: {share:.1f} %."
    assert said in TEXT
    assert len(ROWS) > 150
