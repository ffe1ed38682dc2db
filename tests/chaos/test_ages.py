"""Which rows of healthy clusters are late while another one is down."""

from dataclasses import replace

from tests.chaos.ages import Commit, History, Limits, Trouble, ages
from tests.chaos.places import Ack, Source

LIMITS = Limits(read=6, start=20, driver=30, back=10, row=5)
# Batches of a second each.
STEADY = [Commit(second, second + 1) for second in range(300)]
DOWN = Trouble("b", 100, 200, silent=True)
QUIET = History([DOWN], STEADY, starts=[0], stops=[])


def rows(cluster: str, *waits: tuple[float, float]) -> tuple[dict[str, Ack], dict[str, float]]:
    """Ids written and come at these seconds."""
    acks = {f"{cluster}{n}": Ack(Source(cluster, "ids", 0), 0, n, at) for n, (at, _) in enumerate(waits)}
    return acks, {f"{cluster}{n}": came for n, (_, came) in enumerate(waits)}


def late(history: History, cluster: str, *waits: tuple[float, float]) -> tuple[str, ...]:
    return ages(*rows(cluster, *waits), history, LIMITS).late


def test_ages_are_reported_of_what_came_while_another_cluster_was_down() -> None:
    seen = ages(*rows("a", (50, 50.5), (120, 121), (130, 132), (140, 143), (250, 290)), QUIET, LIMITS)
    assert (seen.rows, seen.p50, seen.p99, seen.most) == (3, 2, 3, 3)
    assert seen.late == ()
    assert "3 rows of healthy clusters came while another was down: ages p50 2.00 s" in str(seen)


def test_a_row_that_waits_for_nothing_but_the_dead_cluster_is_late() -> None:
    assert late(QUIET, "a", (120, 126)) == ("a0",)
    assert late(QUIET, "a", (120, 124.9)) == ()


def test_the_dead_cluster_itself_may_wait_until_it_is_back_and_a_while_longer() -> None:
    both = QUIET.__class__([DOWN, Trouble("a", 150, 160, silent=True)], STEADY, [0], [])
    assert late(both, "b", (150, 214)) == ()
    assert late(both, "b", (150, 216)) == ("b0",)


def test_a_batch_that_was_planned_on_it_before_may_wait_for_as_long_as_reading_may_take() -> None:
    stuck = [one for one in STEADY if one.done <= 100 or one.planned >= 111]
    history = History([DOWN], [*stuck, Commit(99.5, 111)], [0], [])
    assert late(history, "a", (99.9, 110.9)) == ()
    assert late(history, "a", (99.9, 111.1)) == ("a0",)
    # No longer than until the first batch that knew of its death.
    assert late(QUIET, "a", (101, 107)) == ("a0",)


def test_a_restart_may_take_its_time_to_the_first_batch_and_no_longer() -> None:
    gap = [one for one in STEADY if one.done <= 120 or one.done >= 140]
    history = History([DOWN], gap, starts=[0, 125], stops=[120])
    assert late(history, "a", (120, 144.9)) == ()
    assert late(history, "a", (120, 146)) == ("a0",)
    never = History([DOWN], [one for one in gap if one.done >= 200 or one.done <= 120], [0, 125], [120])
    assert late(never, "a", (120, 149.9)) == ()
    assert late(never, "a", (120, 151)) == ("a0",)


def test_trouble_that_leaves_the_brokers_there_excuses_its_own_rows_alone() -> None:
    history = History([DOWN, Trouble("a", 120, 130, silent=False)], STEADY, [0], [])
    assert late(history, "a", (120, 144)) == ()
    assert late(history, "c", (120, 126)) == ("c0",)


def test_half_of_the_rows_come_in_time_whatever_excuses_them() -> None:
    killed = list(range(100, 200, 20))
    history = History([DOWN], [one for one in STEADY if one.done <= 100], [at + 5 for at in killed], killed)
    acks, came = rows("a", *((at, 199) for at in range(105, 160)))
    blind = ages(acks, came, history, LIMITS)
    assert (blind.late, blind.findings()) == ((), [])
    assert ages(acks, came, history, replace(LIMITS, half=20)).findings()
    assert ages(acks, came, history, replace(LIMITS, half=70)).findings() == []


def test_without_a_cluster_that_was_down_nothing_is_judged() -> None:
    assert ages(*rows("a", (120, 190)), History([], STEADY, [0], []), LIMITS).rows == 0
