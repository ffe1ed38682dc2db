"""What a seed makes of a run."""

import itertools

import pytest

from tests.chaos.script import Fault, Kind, World, script
from tests.chaos.settings import keeps_flowing, limits, live_settings, settings

EVERYTHING = World(["a", "b", "c"], ["ids-0", "ids-1"], "c", service=True, executors=True, drains=True, several="b")
SEEDS = range(50)


def faults(seed: int, seconds: float, world: World = EVERYTHING) -> list[Fault]:
    return [fault for lane in script(seed, seconds, world).values() for fault in lane]


def test_a_seed_makes_the_same_faults_again_and_another_one_others() -> None:
    assert script(7, 100, EVERYTHING) == script(7, 100, EVERYTHING)
    assert script(7, 100, EVERYTHING) != script(8, 100, EVERYTHING)


def test_about_half_of_the_seeds_have_no_start_that_waits_for_a_dead_cluster_and_ask_for_ages() -> None:
    assert 400 < sum(map(keeps_flowing, range(1000))) < 600
    for seed in filter(keeps_flowing, range(100)):
        for seconds in (5, 600):
            assert limits(seed, seconds, on_call=False) is not None
        for chosen in (settings(seed, f"1.{turn}") for turn in range(10)):
            policies = chosen.options["unavailableClusterPolicy"], chosen.options["unreadableRangePolicy"]
            assert policies == ("skip", "defer")
            assert chosen.trigger_ms > 0
            holding = {"maxOffsetsPerTrigger", "maxBytesPerTrigger", "maxTimestampSkew", "clusterReadTimeout"}
            assert not holding & chosen.options.keys()
    for seconds in (5, 600):
        assert limits(7, seconds, on_call=False) is None


def test_a_start_in_real_time_mode_has_the_settings_of_its_seed_without_what_this_mode_refuses() -> None:
    refused = {
        "unreadableRangePolicy",
        "minPartitions",
        "maxRecordsPerPartition",
        "maxTimestampSkew",
        "maxTriggerDelay",
    }
    tasks = set()
    for seed in SEEDS:
        for turn in range(10):
            live, usual = live_settings(seed, f"1.{turn}"), settings(seed, f"1.{turn}")
            assert live.trigger == {"realTime": "5 seconds"}
            assert str(live).endswith("trigger=RealTime")
            assert not [key for key in live.options if key in refused or key.endswith("PerTrigger")]
            tasks.add(live.options.get("realTimeTasks"))
            shared = live.options.items() - {("realTimeTasks", "1")}
            assert shared <= usual.options.items()
    assert tasks == {None, "1"}


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_of_a_lane_do_not_overlap_and_begin_in_time(seed: int) -> None:
    for lane in script(seed, 300, EVERYTHING).values():
        assert all(fault.at < 300 for fault in lane)
        assert all(one.at + one.lasts < other.at for one, other in itertools.pairwise(lane))


def test_within_ten_minutes_everything_happens() -> None:
    assert all({fault.kind for fault in faults(seed, 600)} == set(Kind) for seed in SEEDS)
