"""`docs/migrations.md`: each recipe has a test of the same name, or several, and is short enough for the night."""

import re
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "migrations.md"
LONGEST = 12
# Recipes that several tests show.
SHOWN = {
    "Add a cluster": [
        "test_add_a_cluster_for_its_new_records_alone",
        "test_add_a_cluster_that_is_full",
        "test_add_an_empty_cluster",
        "test_start_while_a_cluster_is_down",
    ],
    "Take a cluster out": [
        "test_list_a_cluster_again_that_was_removed_too_early",
        "test_read_an_uncommitted_batch_of_a_removed_cluster",
        "test_take_a_cluster_out",
    ],
    "Put a cluster back": [
        "test_put_a_cluster_back",
        "test_put_a_cluster_back_after_its_retention",
        "test_roll_out_metadata_that_flaps",
    ],
    "Rename a cluster": [
        "test_rename_a_cluster",
        "test_rename_a_cluster_back",
        "test_rename_while_the_metadata_flaps",
        "test_roll_back_a_file_that_names_a_successor",
    ],
    "Let a mirror take over": ["test_let_a_mirror_take_over", "test_pause_a_cluster_for_a_cut_over"],
    "Pause a cluster": ["test_pause_a_cluster", "test_pause_a_topic"],
    "Take a topic out": ["test_delete_a_topic", "test_take_a_topic_out_and_put_it_back"],
    "Choose streams by a pattern or a function": [
        "test_choose_streams_by_a_function",
        "test_choose_streams_by_a_pattern",
    ],
}


def recipes() -> dict[str, list[str]]:
    """The lines below each heading, by heading; empty ones left out."""
    lines = PAGE.read_text().splitlines()
    headings = [number for number, line in enumerate(lines) if line.startswith("#")] + [len(lines)]
    return {
        lines[here].removeprefix("### "): [line for line in lines[here + 1 : there] if line]
        for here, there in pairwise(headings)
        if lines[here].startswith("### ")
    }


def recipes_in_tests() -> list[str]:
    files = sorted((ROOT / "tests" / "scenarios").glob("test_migrations_*.py"))
    return [name for file in files for name in re.findall(r"^def (test_\w+)\(", file.read_text(), re.MULTILINE)]


def named(heading: str) -> str:
    return "test_" + re.sub(r"[^a-z0-9]+", "_", heading.lower()).strip("_")


def test_each_recipe_has_its_tests_and_each_such_test_a_recipe() -> None:
    assert SHOWN.keys() <= recipes().keys()
    shown = [name for heading in recipes() for name in SHOWN.get(heading, [named(heading)])]
    assert sorted(shown) == sorted(recipes_in_tests())


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
