"""How long a run still takes."""

from bench.console import Schedule


def test_what_is_left_goes_by_the_usual_times_and_by_the_pace_of_this_run() -> None:
    now = 0.0
    schedule = Schedule(lambda: now)
    schedule.plan({"first": 100, "second": 50, "third": 10})
    schedule.begin("first")
    assert schedule.left == 160
    now = 30
    assert schedule.left == 130
    now = 200
    assert schedule.left == 60
    schedule.begin("second")
    assert schedule.left == 120
    now = 210
    assert (schedule.left, schedule.elapsed) == (110, 210)


def test_without_a_plan_nothing_is_said_of_what_is_left() -> None:
    assert Schedule().left is None
