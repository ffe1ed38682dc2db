"""What a run writes."""

import pytest
from bench import driver_scale, sick, sick_cases, small_batches, throughput
from bench.goals import Outcome
from bench.machine import Machine
from bench.page import BEGIN, END, between
from bench.readings import Reading, Readings
from bench.sources import OURS, UNION
from bench.tables import report, spread, table

_MACHINE = Machine((("commit", "abc"),))


def test_a_table_has_a_row_for_each_line() -> None:
    assert table(["", "s"], [["a", "1"], ["b", "2"]]) == "|  | s |\n| --- | ---: |\n| a | 1 |\n| b | 2 |"


def test_a_table_without_rows_is_not_written() -> None:
    assert table(["", "s"], []) == ""


def test_a_spread_shows_median_least_and_most() -> None:
    assert spread(Reading("", "", "", "", "s", (1.0, 3.0, 2.0))) == "2.00 (1.00 to 3.00)"


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


def test_a_report_leaves_out_what_did_not_run() -> None:
    text = report(_MACHINE, [], Readings())
    assert text == "### On what\n\n- commit: abc"


def test_throughput_is_shown_beside_ours() -> None:
    readings = Readings(
        [
            Reading(throughput.BATCH, "200 B", name, metric, "s", (seconds,))
            for name, seconds in ((OURS, 2.0), (UNION, 9.0))
            for metric in ("wall", "cpu")
        ]
    )
    text = report(_MACHINE, [], readings)
    assert f"| 200 B, {UNION} | 9.00 (9.00 to 9.00) | 9.00 (9.00 to 9.00) | 4.5 |" in text


def test_triggers_and_the_driver_are_shown_in_milliseconds() -> None:
    readings = Readings(
        [
            Reading(small_batches.SUITE, "32 x 4", OURS, "triggerExecution", "s", (0.25,)),
            Reading(driver_scale.SUITE, "100 x 100", OURS, driver_scale.PLAN, "s", (0.0123,)),
        ]
    )
    text = report(_MACHINE, [], readings)
    assert f"| 32 x 4, {OURS} | 250 (250 to 250) |" in text
    assert "| 100 x 100 | 12.3 |" in text


def test_the_ages_of_a_sick_case_are_a_row_in_the_order_of_time() -> None:
    windows = [(sick.AFTER, 4.0), (sick.BEFORE, 1.0)]
    values = {
        sick.metric(part, value): seconds for part, seconds in windows for value in (sick.P50, sick.P99, sick.MOST)
    }
    values |= {sick.BATCH: 1.2, sick.LATEST: 0.0123, sick.metric(sick.FALL, sick.MOST): 13.0}
    readings = Readings([Reading(sick.SUITE, sick_cases.DENIED, OURS, key, "s", (one,)) for key, one in values.items()])
    row = next(
        line for line in report(_MACHINE, [], readings).splitlines() if line.startswith(f"| {sick_cases.DENIED}")
    )
    shown = [cell.split()[0] for cell in row.split("|")[2:-1]]
    assert shown == ["1.00", "1.00", "1.00", "13.00", "4.00", "4.00", "4.00", "1.20", "0.012"]


def test_a_page_keeps_what_is_not_between_the_marks() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = between(page, "new")
    assert once == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert between(once, "new") == once


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="each once"):
        between("nothing", "new")
