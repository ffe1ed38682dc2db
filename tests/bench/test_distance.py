"""What is measured of far clusters, and whether its goals are about that."""

import pytest
from bench import distance, distance_ages, distance_cold, throughput
from bench.ages import Window, Written
from bench.distance_ages import LATEST, P50, P99, ROUND_TRIP, TRIPS, values
from bench.effort import QUICK
from bench.goals import Goal, goals
from bench.readings import WALL, Reading, Readings
from bench.sources import OURS, UNION
from bench.triggers import TRIGGER

# A row each second, each half a second old when it comes.
_WRITTEN = [Written("a", second, 1000 * second) for second in range(100)]
_CAME = {one: one.at_ms / 1000 + 0.5 for one in _WRITTEN}
_WINDOW = Window(10, 90, 100)


def test_round_trips_are_those_of_the_usual_trigger_that_begins_in_the_window() -> None:
    took = {5.0: 9000, 20.0: 160, 40.0: 160, 60.0: 800, 95.0: 9000}
    triggers = {began: {TRIGGER: 2 * latest, LATEST: latest} for began, latest in took.items()}
    found = values(_WRITTEN, _CAME, triggers, _WINDOW)
    assert found[TRIPS] == pytest.approx(0.16 / ROUND_TRIP)
    assert (found[P50], found[P99]) == (0.5, 0.5)
    assert (found[LATEST], found[TRIGGER]) == (0.16, 0.32)


def test_a_part_that_a_trigger_does_not_have_takes_no_time() -> None:
    found = values(_WRITTEN, _CAME, {20.0: {TRIGGER: 100}}, _WINDOW)
    assert (found[LATEST], found[TRIPS]) == (0, 0)


def test_the_goals_for_far_clusters_are_of_what_is_measured() -> None:
    def ages(contestant: str, seconds: float, latest: int) -> list[Reading]:
        came = {one: one.at_ms / 1000 + seconds for one in _WRITTEN}
        found = values(_WRITTEN, came, {20.0: {TRIGGER: latest, LATEST: latest}}, _WINDOW)
        return [_of(contestant, name, one) for name, one in found.items()]

    seconds = {OURS: 1.0, UNION: 3.0, distance.BARE: 0.8}
    reads = [
        Reading(distance.BATCH, distance.case(trip), contestant, WALL, "s", (one,))
        for trip in distance.ROUND_TRIPS
        for contestant, one in seconds.items()
    ]
    outcomes = [goal.outcome(Readings([*reads, *ages(OURS, 1, 90), *ages(UNION, 3, 900)])) for goal in _goals()]
    assert len(outcomes) == 7
    assert all(outcome.met for outcome in outcomes)


def test_two_round_trips_of_latest_offset_are_one_too_many() -> None:
    (outcome,) = (goal.outcome(Readings([_of(OURS, TRIPS, 2.0)])) for goal in _goals() if goal.text.endswith(TRIPS))
    assert outcome.met is False


def test_a_cold_start_is_met_at_half_of_the_union_s_time() -> None:
    where = distance_cold.SUITE, distance_cold.CASE
    for ours, met in ((1.0, True), (1.1, False)):
        took = {OURS: ours, UNION: 2.0}
        readings = [Reading(*where, name, distance_cold.FIRST, "s", (one,)) for name, one in took.items()]
        found = [
            goal.outcome(Readings(readings)) for goal in goals(throughput.middle(QUICK)) if goal.above[:2] == where
        ]
        assert [outcome.met for outcome in found] == [met]


def _of(contestant: str, metric: str, value: float) -> Reading:
    return Reading(distance_ages.SUITE, distance_ages.CASE, contestant, metric, "", (value,))


def _goals() -> list[Goal]:
    """Those of this suite."""
    suites = (distance.BATCH, distance_ages.SUITE)
    return [goal for goal in goals(throughput.middle(QUICK)) if goal.above[0] in suites]
