"""`docs/migrations.md`: each recipe has a test of its name, or other scenarios show it, and is short enough."""

import re
from itertools import pairwise
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "migrations.md"
LONGEST = 12
# Of the recipes that several tests show, or one of another name.
SHOWN = yaml.safe_load((ROOT / "tests" / "shown.yml").read_text())["recipes"]


def recipes() -> dict[str, list[str]]:
    """The lines below each heading, by heading; empty ones left out."""
    lines = PAGE.read_text().splitlines()
    headings = [number for number, line in enumerate(lines) if line.startswith("#")] + [len(lines)]
    return {
        lines[here].removeprefix("### "): [line for line in lines[here + 1 : there] if line]
        for here, there in pairwise(headings)
        if lines[here].startswith("### ")
    }


def scenarios_in(files: str) -> set[str]:
    """The names of the tests in these files of scenarios."""
    texts = [file.read_text() for file in (ROOT / "tests" / "scenarios").glob(files)]
    return {name for text in texts for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}


def named(heading: str) -> str:
    return "test_" + re.sub(r"[^a-z0-9]+", "_", heading.lower()).strip("_")


def test_each_recipe_has_its_tests_and_each_such_test_a_recipe() -> None:
    assert SHOWN.keys() <= recipes().keys()
    shown = {test.rpartition("::")[2] for heading in recipes() for test in SHOWN.get(heading, [named(heading)])}
    assert scenarios_in("test_migrations_*.py") <= shown <= scenarios_in("test_*.py")


def test_a_recipe_is_short() -> None:
    assert {heading: len(lines) for heading, lines in recipes().items() if not 2 <= len(lines) <= LONGEST} == {}


def test_each_option_metric_and_condition_that_a_recipe_names_exists() -> None:
    known = "".join(
        (ROOT / "docs" / f"{page}.md").read_text()
        for page in ("options", "metadata", "reference/metrics", "reference/errors")
    )
    words = set(re.findall(r"`([a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)", PAGE.read_text()))
    assert {"removedClusterPolicy", "CLUSTER_CHANGED"} <= words
    assert sorted(word for word in words if word not in known) == []


def test_a_recipe_that_another_one_sends_to_is_there() -> None:
    sent_to = re.findall(r'[Ss]ee "([^"]+)"', " ".join(PAGE.read_text().split()))
    assert sent_to
    assert set(sent_to) <= recipes().keys()
