"""Goals against readings."""

from bench.effort import FULL, QUICK
from bench.goals import Goal, goals
from bench.readings import Reading, Readings
from bench.throughput import middle

_OURS = ("suite", "case", "ours", "wall")
_UNION = ("suite", "case", "union", "wall")
_READINGS = Readings(
    [Reading(*_OURS, "s", (1.0, 2.0, 4.0)), Reading(*_UNION, "s", (6.0, 8.0, 9.0))],
)


def test_a_ratio_is_one_of_medians_and_its_spread_one_of_repetitions_side_by_side() -> None:
    outcome = Goal("faster", _UNION, _OURS, least=4).outcome(_READINGS)
    assert (outcome.value, outcome.least, outcome.most) == (4.0, 2.25, 6.0)
    assert outcome.met


def test_a_goal_just_missed_is_not_met() -> None:
    assert Goal("faster", _UNION, _OURS, least=4.01).outcome(_READINGS).met is False
    assert Goal("short", _OURS, most=1.99).outcome(_READINGS).met is False


def test_a_goal_without_a_second_contestant_is_about_the_median_itself() -> None:
    outcome = Goal("short", _OURS, most=2).outcome(_READINGS)
    assert outcome.met
    assert outcome.value == 2.0


def test_a_goal_that_was_not_measured_is_neither_met_nor_missed() -> None:
    outcome = Goal("faster", _UNION, ("suite", "other", "ours", "wall"), least=4).outcome(_READINGS)
    assert (outcome.met, outcome.value) == (None, None)


def test_each_goal_has_one_bound_and_a_text_of_its_own() -> None:
    for effort in (FULL, QUICK):
        listed = goals(middle(effort))
        assert all((goal.least is None) != (goal.most is None) for goal in listed)
        assert len({goal.text for goal in listed}) == len(listed)
