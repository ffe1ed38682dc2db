"""What a seed makes of a run."""

import itertools

import pytest

from tests.chaos.script import Fault, Kind, World, on_call, script
from tests.chaos.settings import accepts_loss, asks_python, drains, keeps_flowing, limits, settings, without_failing

EVERYTHING = World(["a", "b", "c"], ["ids-0", "ids-1"], "c", service=True, executors=True, drains=True, several="b")
SEEDS = range(50)


def faults(seed: int, seconds: float, world: World = EVERYTHING) -> list[Fault]:
    return [fault for lane in script(seed, seconds, world).values() for fault in lane]


def test_a_seed_makes_the_same_faults_again_and_another_one_others() -> None:
    assert script(7, 100, EVERYTHING) == script(7, 100, EVERYTHING)
    assert script(7, 100, EVERYTHING) != script(8, 100, EVERYTHING)


def test_each_start_draws_its_settings_and_of_those_the_verdict_rests_on_none() -> None:
    assert not keeps_flowing(7)
    starts = [settings(7, f"{driver}.{turn}") for driver in range(20) for turn in range(3)]
    assert settings(7, "1.1") == starts[4]
    assert {start.options["unavailableClusterPolicy"] for start in starts} == {"skip", "fail"}
    assert len({start.options["removedClusterPolicy"] for start in starts}) == 1
    assert len({start.options["unreadableRangePolicy"] for start in starts}) == 1
    assert all("failOnDataLoss" not in start.options for start in starts)


def test_half_of_the_starts_accept_the_loss_of_a_log_that_was_cut_off_and_the_others_once_it_has_ended_them() -> None:
    assert 400 < sum(accepts_loss(7, f"{driver}.1") for driver in range(1000)) < 600
    chosen = settings(7, "1.1")
    assert without_failing(chosen).options == {**chosen.options, "failOnDataLoss": "false"}


def test_about_half_of_the_seeds_have_no_start_that_waits_for_a_dead_cluster_and_ask_for_ages() -> None:
    assert 400 < sum(map(keeps_flowing, range(1000))) < 600
    for seed in filter(keeps_flowing, range(100)):
        for seconds in (5, 600):
            assert limits(seed, seconds, on_call=False) is not None
        for chosen in (settings(seed, f"1.{turn}") for turn in range(10)):
            policies = chosen.options["unavailableClusterPolicy"], chosen.options["unreadableRangePolicy"]
            assert policies == ("skip", "defer")
            assert chosen.trigger_ms > 0
            assert not {"maxOffsetsPerTrigger", "maxBytesPerTrigger", "maxTimestampSkew"} & chosen.options.keys()
    for seconds in (5, 600):
        assert limits(7, seconds, on_call=False) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_on_call_one_cluster_is_down_all_the_time_and_the_driver_dies_meanwhile(seed: int) -> None:
    lanes = on_call(seed, 600, ["a", "b", "c"])
    (death,), (killed,) = lanes["death"], lanes["driver"]
    assert (death.kind, death.lasts) == (Kind.CLUSTER_DOWN, 600)
    assert death.at < killed.at < death.at + death.lasts


def test_half_of_the_seeds_ask_a_service_in_python_and_most_read_to_the_end_what_is_removed() -> None:
    assert 400 < sum(asks_python(seed) for seed in range(1000)) < 600
    assert 550 < sum(drains(seed) for seed in range(1000)) < 750


@pytest.mark.parametrize("seed", SEEDS)
def test_a_longer_run_begins_with_the_faults_of_a_shorter_one(seed: int) -> None:
    longer = script(seed, 200, EVERYTHING)
    assert all(longer[name][: len(lane)] == lane for name, lane in script(seed, 60, EVERYTHING).items())


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_of_a_lane_do_not_overlap_and_begin_in_time(seed: int) -> None:
    for lane in script(seed, 300, EVERYTHING).values():
        assert all(fault.at < 300 for fault in lane)
        assert all(one.at + one.lasts < other.at for one, other in itertools.pairwise(lane))


def test_within_ten_minutes_everything_happens() -> None:
    assert all({fault.kind for fault in faults(seed, 600)} == set(Kind) for seed in SEEDS)


def test_no_fault_comes_that_needs_what_is_not_there() -> None:
    plain = World(["a", "b"], ["ids"], "", service=False, executors=False, drains=False)
    kinds = {fault.kind for fault in faults(1, 3600, plain)}
    services = {kind for kind in Kind if kind.name.startswith("SERVICE_")}
    others = {Kind.PASSWORD_CHANGED, Kind.EXECUTOR_KILLED, Kind.TOPIC_RECREATED, Kind.PARTITION_UNLED, Kind.LOG_CUT}
    assert set(Kind) - kinds == services | others


@pytest.mark.parametrize("seed", SEEDS)
def test_of_several_brokers_one_is_away_at_a_time_and_each_minute_has_an_unled_partition_and_a_cut(seed: int) -> None:
    drawn = faults(seed, 60)
    of_several = {Kind.PARTITION_UNLED, Kind.LOG_CUT}
    assert {fault.cluster for fault in drawn if fault.kind in of_several} == {"b"}
    assert {fault.kind for fault in drawn if fault.kind in of_several} == of_several
    whole = {Kind.BROKER_KILLED, Kind.BROKER_RESTARTED, Kind.BROKER_PAUSED, Kind.CLUSTER_DOWN}
    assert "b" not in {fault.cluster for fault in faults(seed, 600) if fault.kind in whole}


def test_passwords_change_only_where_clients_log_in() -> None:
    changed = [fault.cluster for fault in faults(3, 600) if fault.kind is Kind.PASSWORD_CHANGED]
    assert set(changed) == {"c"}
