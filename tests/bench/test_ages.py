"""How old rows were when they came."""

import pytest
from bench.ages import Ages, Window, Written, ages

# A row each second, from 0 to 99.
_WRITTEN = [Written("a", second, 1000 * second) for second in range(100)]


def test_ages_are_those_of_what_was_written_in_the_window() -> None:
    came = {one: one.at_ms / 1000 + (0.5 if one.at_ms < 50_000 else 2.0) for one in _WRITTEN}
    assert ages(_WRITTEN, came, Window(0, 50, 60)) == Ages(0.5, 0.5, 0.5)
    assert ages(_WRITTEN, came, Window(40, 60, 70)) == Ages(0.5, 2.0, 2.0)


def test_a_row_that_has_not_come_is_as_old_as_it_is_by_then_and_one_that_came_later_too() -> None:
    assert ages(_WRITTEN, {}, Window(90, 100, 110)) == Ages(15.0, 20.0, 20.0)
    late = dict.fromkeys(_WRITTEN, 500.0)
    assert ages(_WRITTEN, late, Window(90, 100, 110)) == Ages(15.0, 20.0, 20.0)


def test_a_window_without_a_row_has_no_ages() -> None:
    with pytest.raises(ValueError, match="Nothing was written"):
        ages(_WRITTEN, {}, Window(200, 300, 310))
