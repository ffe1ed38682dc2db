"""The records of the jobs, and their goals."""

import json

import pytest
from bench import jobs, throughput
from bench.effort import FULL, QUICK, Effort
from bench.goals import goals
from bench.readings import WALL, Reading, Readings
from bench.sources import OURS, UNION


def test_each_value_has_all_fields_and_few_are_alike() -> None:
    values = jobs.values()
    assert len(jobs.FIELDS) == 20
    assert all(list(json.loads(value)) == list(jobs.FIELDS) for value in values)
    assert len(set(values)) == len(values)
    assert all(value.isascii() and "\n" not in value for value in values)


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_each_minute_has_as_many_records(effort: Effort) -> None:
    assert jobs.records(effort) % jobs.MINUTES == 0


@pytest.mark.parametrize(("seconds", "met"), [(1.4, True), (1.3, False)])
def test_each_job_has_a_goal(seconds: float, met: bool) -> None:
    took = [
        Reading(jobs.SUITE, case, name, WALL, "s", (one,))
        for case in jobs.CASES
        for name, one in ((OURS, 1.0), (UNION, seconds))
    ]
    listed = [goal for goal in goals(throughput.middle(QUICK)) if goal.above[0] == jobs.SUITE]
    assert [goal.outcome(Readings(took)).met for goal in listed] == [met] * len(jobs.CASES)
