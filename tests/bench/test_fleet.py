"""How many requests come at about the same time."""

from bench.fleet import busiest


def test_the_busiest_time_may_begin_with_any_request() -> None:
    assert busiest([0.0, 0.9, 1.0, 1.1, 1.8, 5.0], 1.0) == 4
    assert busiest([3.0, 1.0, 2.0], 1.0) == 1


def test_nothing_that_came_is_no_request() -> None:
    assert busiest([], 1.0) == 0
