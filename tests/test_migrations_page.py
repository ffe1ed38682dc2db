"""`docs/migrations.md`: each recipe has a test of its name, or other scenarios show it, and is short enough."""

import re
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "migrations.md"
LONGEST = 12
# Recipes that several tests show, or one of another name.
SHOWN = {
    "Add a cluster": [
        "test_a_cluster_a_topic_and_a_partition_that_come_live_are_read_from_their_beginning",
        "test_add_a_cluster_for_its_new_records_alone",
        "test_one_limit_holds_over_all_clusters_and_none_starves",
        "test_start_while_a_cluster_is_down",
    ],
    "Take a cluster out": [
        "test_a_drain_goes_on_over_limited_batches_and_a_restart_to_the_end_found_at_the_removal",
        "test_list_a_cluster_again_that_was_removed_too_early",
        "test_read_an_uncommitted_batch_of_a_removed_cluster",
    ],
    "Take a cluster out at once": ["test_what_is_removed_under_stop_stops_and_resumes_exactly_there"],
    "Put a cluster back": [
        "test_a_removed_cluster_drains_to_the_end_it_had_and_resumes_exactly_there",
        "test_roll_out_metadata_that_flaps",
        "test_the_retention_counts_from_the_removal_over_restarts_and_what_returns_after_it_is_new",
    ],
    "Move a cluster to other addresses": [
        "test_move_a_cluster_to_other_addresses",
        "test_a_planned_swap_behind_an_address_to_a_mirror_goes_on_under_a_new_id",
    ],
    "Rebuild a cluster": ["test_a_cluster_rebuilt_at_the_same_address_is_not_read_as_the_one_it_replaced"],
    "Move a stream to another cluster": ["test_a_stream_moves_from_a_to_a_and_b_to_b_with_every_id_once"],
    "Rename a cluster": [
        "test_rename_a_cluster_back",
        "test_roll_back_a_file_that_names_a_successor",
    ],
    "Let a mirror take over": ["test_let_a_mirror_take_over", "test_pause_a_cluster_for_a_cut_over"],
    "Pause a cluster": [
        "test_pause_a_topic",
        "test_what_is_paused_holds_counts_in_the_lag_and_fails_nothing_even_dead",
    ],
    "Take a topic out": [
        "test_a_stream_nobody_knows_any_more_is_removed_and_resumes_when_it_returns_though_the_query_restarts",
        "test_delete_a_topic",
    ],
    "Choose streams by a pattern or a function": [
        "test_a_function_may_change_its_mind_name_what_nobody_knows_and_fail_without_harm",
        "test_choose_streams_by_a_pattern",
    ],
    "Stop the query for maintenance": ["test_an_uncommitted_batch_is_read_again_exactly_though_the_topology_changed"],
    "Run it every night": [
        "test_it_reads_what_was_there_of_every_cluster_also_an_empty_or_removed_one_and_nothing_written_meanwhile"
    ],
    "Continue without a dead cluster until it is back": [
        "test_an_uncommitted_batch_runs_without_a_dead_cluster_whose_part_is_read_once_it_is_back"
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


def scenarios_in(files: str) -> set[str]:
    """The names of the tests in these files of scenarios."""
    texts = [file.read_text() for file in (ROOT / "tests" / "scenarios").glob(files)]
    return {name for text in texts for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}


def named(heading: str) -> str:
    return "test_" + re.sub(r"[^a-z0-9]+", "_", heading.lower()).strip("_")


def test_each_recipe_has_its_tests_and_each_such_test_a_recipe() -> None:
    assert SHOWN.keys() <= recipes().keys()
    shown = {name for heading in recipes() for name in SHOWN.get(heading, [named(heading)])}
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
