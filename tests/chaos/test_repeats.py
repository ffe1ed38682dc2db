"""What may come again in Real-Time Mode, and what not."""

import json

import pytest

from tests.chaos.checkpoint import Position
from tests.chaos.places import Ack, Row, Source, other_id
from tests.chaos.repeats import Came, Done, judge_repeats
from tests.chaos.sink import came_of

HERE = Source("a", "ids", 0)
ACKS = {f"id-{n}": Ack(HERE, 0, n, float(n)) for n in range(4)}
# The second start began when two records were committed, by a batch of the first one.
COMMITTED = {2: Done({("a", "ids", 0): Position(0, 2, 0)}, 1.0)}


def came(*order: tuple[int, int], cluster: str = "a", at: float | None = None) -> list[Came]:
    """Starts and offsets; each written when its start began, at its number in seconds, if not said otherwise."""
    return [
        Came(start, Row(f"id-{n}", cluster, "ids", 0, n, start), float(start) if at is None else at)
        for start, n in order
    ]


FIRST = came((1, 0), (1, 1), (1, 2))


def test_what_comes_once_is_no_repeat() -> None:
    found = judge_repeats([*FIRST, *came((2, 3))], ACKS, COMMITTED)
    assert (found.again, found.starts, found.wrong, found.findings()) == (0, 0, {}, [])


def test_what_was_not_committed_when_a_start_began_may_come_again() -> None:
    found = judge_repeats([*FIRST, *came((2, 2), (2, 3), (3, 2), (3, 3))], ACKS, COMMITTED)
    assert not found.wrong
    assert str(found) == "2 ids came again, over 2 starts of the query"


@pytest.mark.parametrize("cluster", ["a", other_id("a")])
def test_what_was_committed_must_not_under_either_id_of_its_cluster(cluster: str) -> None:
    found = judge_repeats([*FIRST, *came((2, 1), (2, 2), (2, 3), cluster=cluster)], ACKS, COMMITTED)
    assert found.wrong == {"repeated though committed": ("id-1",)}
    assert found.findings() == ["1 ids repeated though committed, such as id-1"]


def test_what_comes_for_the_first_time_below_the_position_is_no_repeat() -> None:
    """A log that was cut off grows again there."""
    assert not judge_repeats([*came((1, 0)), *came((2, 1))], ACKS, COMMITTED).wrong


def test_what_first_came_after_the_batch_was_logged_is_not_of_it() -> None:
    """A log that was cut off grew again below the position, and what was read of it was not committed."""
    assert not judge_repeats([*came((1, 1), at=1.5), *came((2, 1))], ACKS, COMMITTED).wrong


def test_what_comes_twice_in_one_start_is_wrong_wherever_it_lies() -> None:
    found = judge_repeats([*FIRST, *came((1, 2))], ACKS, COMMITTED)
    assert found.wrong == {"twice in one start": ("id-2",)}


def test_each_start_has_an_order_of_its_own_for_each_partition() -> None:
    assert not judge_repeats(came((1, 3), (2, 2), (2, 3)), ACKS, COMMITTED).wrong
    assert judge_repeats(came((1, 3), (1, 2)), ACKS, COMMITTED).wrong == {"disordered in one start": ("id-2",)}
    elsewhere = {**ACKS, "id-3": Ack(HERE._replace(generation=1), 0, 3, 9.0)}
    assert not judge_repeats(came((1, 3), (1, 2)), elsewhere, COMMITTED).wrong


def test_a_record_of_the_sink_names_its_place_and_the_start_that_wrote_it() -> None:
    written = {"id": "id-1", "cluster": "a", "topic": "ids", "partition": 0, "offset": 1, "start": 2}
    assert came_of(json.dumps(written), 7, 3.5) == Came(2, Row("id-1", "a", "ids", 0, 1, 2, ("sink", 7)), 3.5)
