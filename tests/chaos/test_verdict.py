"""What counts as lost, as twice, and as wrong in other ways; and how that is reported."""

from collections.abc import Callable

import pytest

from tests.chaos.checkpoint import Position, batch_of, drained, positions, reading
from tests.chaos.journal import Happening
from tests.chaos.places import Ack, Row, Source, other_id
from tests.chaos.story import Evidence, stories
from tests.chaos.verdict import due_ids, judge, miscounted

HERE = Source("a", "ids", 0)
ACKS = {f"id-{n}": Ack(HERE, 0, n, float(n)) for n in range(4)}
ROWS = [Row(f"id-{n}", "a", "ids", 0, n, batch=n // 2) for n in range(4)]

Change = Callable[[list[Row]], list[Row]]


def test_each_id_once_holds_in_any_order_of_the_table() -> None:
    verdict = judge(ACKS, (), set(ACKS), ROWS[::-1])
    assert verdict.holds
    assert (verdict.due, verdict.arrived) == (4, 4)


@pytest.mark.parametrize(
    ("change", "name", "ids"),
    [
        (lambda rows: rows[:-1], "missing", ("id-3",)),
        (lambda rows: [*rows, rows[1]], "duplicated", ("id-1",)),
        (lambda rows: [*rows, rows[1]._replace(id="id-9", offset=9)], "unknown", ("id-9",)),
        (lambda rows: [*rows[:-1], rows[3]._replace(cluster="b")], "misplaced", ("id-3",)),
        (lambda rows: [*rows[:-1], rows[3]._replace(offset=7)], "misplaced", ("id-3",)),
        (lambda rows: [rows[0]._replace(batch=2), *rows[1:]], "disordered", ("id-0",)),
        (
            lambda rows: [row._replace(place=("part", 5 - row.offset % 2)) for row in rows],
            "disordered",
            ("id-0", "id-2"),
        ),
    ],
)
def test_it_names_what_is_wrong(change: Change, name: str, ids: tuple[str, ...]) -> None:
    verdict = judge(ACKS, (), set(ACKS), change(ROWS))
    assert not verdict.holds
    assert verdict.wrong == {name: ids}


def test_what_was_sent_and_never_confirmed_may_come_once_and_need_not() -> None:
    came = ROWS[3]._replace(id="unsure", offset=4)
    assert judge(ACKS, {"unsure"}, set(ACKS), ROWS).holds
    assert judge(ACKS, {"unsure"}, set(ACKS), [*ROWS, came]).holds
    assert judge(ACKS, {"unsure"}, set(ACKS), [*ROWS, came, came]).wrong == {"duplicated": ("unsure",)}


def test_rows_of_a_cluster_that_was_renamed_come_in_one_order_under_both_ids() -> None:
    def named(batch_of_old: int) -> list[Row]:
        new = [row._replace(cluster=other_id("a"), batch=1) for row in ROWS[2:]]
        return [*new, *(row._replace(batch=batch_of_old) for row in ROWS[:2])]

    assert judge(ACKS, (), set(ACKS), named(batch_of_old=0)).holds
    assert judge(ACKS, (), set(ACKS), named(batch_of_old=2)).wrong == {"disordered": ("id-0", "id-1")}


def test_what_was_aborted_must_not_come() -> None:
    came = ROWS[3]._replace(id="undone", offset=4)
    assert judge(ACKS, (), set(ACKS), ROWS, {"undone"}).holds
    assert judge(ACKS, (), set(ACKS), [*ROWS, came], {"undone"}).wrong == {"aborted": ("undone",)}


def test_what_was_written_before_the_removal_is_due_and_what_came_later_may_come() -> None:
    due = due_ids(ACKS, {HERE: 1.5})
    assert due == {"id-0", "id-1"}
    assert judge(ACKS, (), due, ROWS[:2]).holds
    assert judge(ACKS, (), due, ROWS).holds
    assert due_ids(ACKS, {}) == set(ACKS)


def test_what_was_cut_off_may_come_once_and_what_took_its_place_is_due_once() -> None:
    anew = {f"anew-{n}": Ack(HERE._replace(generation=1), 0, n, 9.0) for n in (2, 3)}
    came = [
        row._replace(id=id_, offset=ack.offset, batch=5) for row, (id_, ack) in zip(ROWS, anew.items(), strict=False)
    ]
    due = {"id-0", "id-1", *anew}
    assert judge(ACKS | anew, (), due, [*ROWS, *came]).holds
    assert judge(ACKS | anew, (), due, [*ROWS[:2], *came]).holds
    assert judge(ACKS | anew, (), due, [*ROWS, came[1]]).wrong == {"missing": ("anew-2",)}
    assert judge(ACKS | anew, (), due, [*ROWS, *came, ROWS[3]]).wrong == {"duplicated": ("id-3",)}


def test_no_more_records_are_counted_as_lost_than_were_cut_off() -> None:
    assert miscounted(0, 0) == miscounted(2, 3) == []
    assert miscounted(4, 3) == ["A query counts 4 lost records, and 3 were cut off"]


def test_nothing_due_is_no_proof() -> None:
    assert not judge({}, (), set(), []).holds


def test_a_story_names_place_batch_and_the_faults_around_neighbours_that_are_lost() -> None:
    place = ("a", "ids", 0)
    ends = {0: {place: Position(0, 2, 0)}, 1: {place: Position(0, 4, 0)}}
    happened = [Happening(1, 2, "broker killed a"), Happening(100, 101, "driver killed")]
    evidence = Evidence(ACKS, ROWS[:2], happened, ends, {})
    assert list(stories({"missing": ["id-3", "id-2"]}, evidence)) == [
        "2 missing: a/ids/0 partition 0 offsets 2 to 3, ids id-2 to id-3, confirmed 2.0 s to 3.0 s\n"
        "  by the checkpoint in batches [1]; in the table in none\n"
        "      1.00     2.00  broker killed a"
    ]


def test_a_story_of_what_came_twice_names_both_batches_and_what_happened_around_each() -> None:
    happened = [Happening(50, 51, "between"), Happening(99, 99, "driver killed")]
    evidence = Evidence(ACKS, [*ROWS, ROWS[1]._replace(batch=1)], happened, {}, {0: 2.0, 1: 100.0})
    (story,) = stories({"duplicated": ["id-1"]}, evidence)
    assert "in the table 1 in batch 0, 1 in batch 1" in story
    assert "driver killed" in story
    assert "between" not in story


def test_a_story_of_rows_that_know_their_start_names_the_starts() -> None:
    happened = [Happening(99, 99, "driver killed")]
    rows = [ROWS[1]._replace(batch=start) for start in (1, 2)]
    (story,) = stories({"twice": ["id-1"]}, Evidence(ACKS, rows, happened, {}, {1: 500.0}, starts={1: 2.0, 2: 100.0}))
    assert "in the table 1 in start 1, 1 in start 2" in story
    assert "driver killed" in story


def test_a_story_goes_on_over_the_gaps_that_transactions_leave() -> None:
    acks = {f"id-{n}": Ack(HERE, 0, 3 * n, float(n)) for n in range(4)}
    (story,) = stories({"missing": list(acks)}, Evidence(acks, [], [], {}, {}))
    assert story.startswith("4 missing: a/ids/0 partition 0 offsets 0 to 9")


def test_of_a_cluster_held_under_two_ids_the_newest_incarnation_counts() -> None:
    def held(start: int, next_: int, incarnation: int) -> dict[str, object]:
        return {"topics": {"ids": {"partitions": {"0": [start, next_, incarnation]}}}}

    for clusters in (
        {"a": held(0, 5, 0), "a renamed": held(5, 9, 1)},
        {"a renamed": held(0, 5, 0), "a": held(5, 9, 1)},
    ):
        assert positions({"clusters": clusters}) == {("a", "ids", 0): Position(5, 9, 1)}


def test_a_topic_is_read_under_an_id_that_holds_it_and_does_not_drain_it() -> None:
    offset = {"clusters": {"a": {"topics": {"left": {"removed": 1}, "here": {"kafkaId": "x"}}}}}
    assert [reading(offset, *place) for place in (("a", "here"), ("a", "left"), ("b", "here"))] == [True, False, False]


def test_a_batch_begins_where_the_last_one_ended_or_where_its_incarnation_does() -> None:
    place = ("a", "ids", 0)
    ends = {
        3: {place: Position(0, 10, 0)},
        4: {},
        5: {place: Position(0, 20, 0)},
        6: {place: Position(5, 8, 1)},
    }
    assert [batch_of(place, offset, ends) for offset in (9, 10, 6, 20)] == [[3], [5], [3, 6], []]


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ({"partitions": {"0": [0, 5, 0]}}, False),
        ({"removed": 1, "partitions": {"0": [0, 5, 0]}}, False),
        ({"removed": 1, "drain": {"0": 6}, "partitions": {"0": [0, 5, 0]}}, False),
        ({"removed": 1, "drain": {"0": None}, "partitions": {"0": [0, 5, 0]}}, False),
        ({"removed": 1, "drain": {"0": 5}, "partitions": {"0": [0, 5, 0]}}, True),
    ],
)
def test_drained_is_what_is_removed_and_read_to_its_target(topic: dict[str, object], *, expected: bool) -> None:
    assert drained({"clusters": {"a": {"topics": {"ids": topic}}}}, "a", "ids") == expected
