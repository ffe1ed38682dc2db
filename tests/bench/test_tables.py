"""What a run writes."""

import pytest
from bench.goals import Outcome
from bench.machine import Machine
from bench.page import BEGIN, END, between
from bench.readings import Readings
from bench.tables import report

_MACHINE = Machine((("commit", "abc"),))


def test_a_report_shows_each_goal_as_met_missed_or_not_measured() -> None:
    outcomes = [
        Outcome("first", ">= 4", True, 5.0, 4.5, 5.5),
        Outcome("second", "<= 2", False, 3.0, 3.0, 3.0),
        Outcome("third", "<= 1", None, None),
    ]
    text = report(_MACHINE, outcomes, Readings())
    assert "| first | >= 4 | 5 | 4.5 to 5.5 | yes |" in text
    assert "| second | <= 2 | 3 | 3 to 3 | **no** |" in text
    assert "| third | <= 1 |  |  | not measured |" in text


def test_a_page_keeps_what_is_not_between_the_marks() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = between(page, "new")
    assert once == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert between(once, "new") == once


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="each once"):
        between("nothing", "new")
