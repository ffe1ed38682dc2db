"""Goals against readings."""

from bench import sick, sick_cases
from bench.ages import Written
from bench.effort import FULL, QUICK
from bench.goals import Goal, goals
from bench.readings import Reading, Readings
from bench.sources import OURS
from bench.throughput import middle
from bench.triggers import TRIGGER

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


def test_a_goal_about_the_worst_repetition_is_not_met_by_the_median() -> None:
    outcome = Goal("short", _OURS, most=3, worst=True).outcome(_READINGS)
    assert (outcome.met, outcome.value) == (False, 4.0)


def test_a_goal_that_was_not_measured_is_neither_met_nor_missed() -> None:
    outcome = Goal("faster", _UNION, ("suite", "other", "ours", "wall"), least=4).outcome(_READINGS)
    assert (outcome.met, outcome.value) == (None, None)


def test_the_goals_for_sick_clusters_are_of_the_cases_and_metrics_that_are_measured() -> None:
    healthy = [Written("a", second, 1000 * second) for second in range(100)]
    came = {one: one.at_ms / 1000 + 1 for one in healthy}
    triggers = {20.0: {TRIGGER: 1200, "latestOffset": 10}}
    moment = sick.Moment(fell=40, over=90)
    metrics = sick.seconds(healthy, came, triggers, moment, sick.WHOLE)
    measured = [
        Reading(sick.SUITE, case, OURS, metric, "s", (value,))
        for case in (*sick_cases.CASES, sick_cases.IDLE)
        for metric, value in metrics.items()
    ]
    outcomes = [goal.outcome(Readings(measured)) for goal in goals(middle(QUICK)) if "healthy rows" in goal.text]
    assert len(outcomes) == 3 * len(sick_cases.CASES) + 1
    assert all(outcome.met for outcome in outcomes)


def test_each_goal_has_one_bound_and_a_text_of_its_own() -> None:
    for effort in (FULL, QUICK):
        listed = goals(middle(effort))
        assert all((goal.least is None) != (goal.most is None) for goal in listed)
        assert len({goal.text for goal in listed}) == len(listed)
