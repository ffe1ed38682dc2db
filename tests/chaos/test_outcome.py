"""What a run has to say of its faults."""

from tests.chaos.outcome import Outcome
from tests.chaos.verdict import Verdict


def test_faults_have_both_figures_how_many_had_their_effect_and_how_many_were_ordered() -> None:
    faults = {"broker paused": 3, "broker paused: ordered": 5, "log cut off: ordered": 1, "record cut off": 7}
    verdict = Verdict(1, 1, (), (), (), (), (), ())
    outcome = Outcome(1, verdict, 10, 1, 1, 1, faults, endings={}, findings=[], stories=[])
    assert outcome.lines()[:3] == [
        "    3 broker paused of 5 ordered",
        "    0 log cut off of 1 ordered",
        "    7 record cut off",
    ]
