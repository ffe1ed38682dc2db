"""What whole runs leave, and the picture of it."""

import json
from datetime import datetime
from pathlib import Path

from bench import charts, history
from bench.effort import FULL, QUICK
from bench.folders import HISTORY, PICTURES
from bench.goals import Outcome, goals
from bench.machine import Machine
from bench.throughput import middle

FIRST, SECOND = (f"{case}: {history.RATIO}" for case in history.SHOWN[:2])


def _save(folder: Path, date: str, *outcomes: Outcome) -> Path:
    return history.save(Machine((("commit", "abc"), ("date", date))), FULL, outcomes, folder)


def test_a_run_keeps_what_was_measured_on_what_and_how(tmp_path: Path) -> None:
    measured = Outcome(FIRST, ">= 4", False, 3.54321, 3.0, 4.0)
    kept = json.loads(
        _save(tmp_path, "2026-11-22 14:13 UTC", measured, Outcome(SECOND, ">= 4", None, None)).read_text()
    )
    assert kept["goals"] == {FIRST: {"wanted": ">= 4", "measured": 3.543, "least": 3.0, "most": 4.0}}
    assert kept["machine"]["commit"] == "abc"
    assert kept["settings"]["repetitions"] == FULL.repetitions


def test_lines_are_by_time_and_a_run_without_a_goal_is_left_out_of_its_line(tmp_path: Path) -> None:
    for date, *outcomes in (
        ("2026-12-01 09:00 UTC", Outcome(FIRST, "", True, 2.0), Outcome(SECOND, "", True, 5.0)),
        ("2026-11-22 14:13 UTC", Outcome(FIRST, "", True, 1.0), Outcome("not shown", "", True, 9.0)),
    ):
        _save(tmp_path, date, *outcomes)
    old, new = datetime(2026, 11, 22, 14, 13), datetime(2026, 12, 1, 9)
    lines = history.lines(tmp_path)
    assert lines == {history.SHOWN[0]: [(old, 1.0), (new, 2.0)], history.SHOWN[1]: [(new, 5.0)]}
    charts.save_history(lines, tmp_path)
    assert all(text in (tmp_path / "history.svg").read_text() for text in (*lines, "2026-11-22", "2026-12-01"))


def test_the_picture_is_of_goals_whatever_the_effort() -> None:
    for effort in (FULL, QUICK):
        texts = {goal.text for goal in goals(middle(effort))}
        assert {f"{case}: {history.RATIO}" for case in history.SHOWN} <= texts


def test_the_page_s_picture_has_the_day_of_each_run_that_is_kept() -> None:
    days = [path.name[:10] for path in HISTORY.glob("*.json")]
    assert days
    assert all(day in (PICTURES / "history.svg").read_text() for day in days)
