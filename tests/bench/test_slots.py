"""What is measured of the tasks on many slots, and whether its goals are about that."""

import pytest
from bench import slots
from bench.effort import QUICK
from bench.goals import goals
from bench.readings import Reading, Readings
from bench.slots import EXECUTORS, FAIR, FIRST, MEAN, MIB, SUITE, TASKS, values_of
from bench.slots_program import SLOTS, Task
from bench.sources import OURS
from bench.throughput import middle

_CASES = (slots.LARGE, slots.SLOW, slots.TRICKLE, slots.SKEW, slots.PIECES)


def test_a_batch_is_compared_with_what_each_slot_would_have_if_all_had_the_same() -> None:
    batch = [Task("1", 300, 3 * 2**20), Task("2", 100, 2**20), Task("2", 200, 2 * 2**20)]
    found = values_of([[Task("1", 600, 6 * 2**20)], batch])
    assert (found[FIRST], found[TASKS], found[EXECUTORS], found[MIB]) == ((1,), (3,), (2,), (3,))
    assert found[FAIR] == pytest.approx((300 / (600 / SLOTS),))
    assert found[MEAN] == pytest.approx((1.5,))


def test_each_batch_from_the_second_one_on_counts() -> None:
    found = values_of([[Task("1", 1, 1)], [Task("1", 1, 1)] * 2, [Task("1", 1, 1)] * 3])
    assert found[TASKS] == (2, 3)


def test_the_goals_are_of_what_is_measured() -> None:
    def outcomes(tasks: int, rows: int) -> list[bool | None]:
        found = values_of([[], [Task(str(number), rows, rows) for number in range(tasks)]])
        readings = Readings(
            [Reading(SUITE, case, OURS, name, "", one) for case in _CASES for name, one in found.items()]
        )
        return [goal.outcome(readings).met for goal in goals(middle(QUICK)) if goal.above[0] == SUITE]

    assert outcomes(SLOTS, 100) == [True, True, False, True, True]
    assert outcomes(8, 100) == [False, False, True, False, False]
