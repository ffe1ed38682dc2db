"""How much one slow cluster delays the others: the driver asks all of them at the same time."""

from collections.abc import Sequence

from tests.cluster import KafkaCluster
from tests.cluster.clusters import behind_gates
from tests.cluster.gate import Way

from bench.console import say
from bench.effort import Effort
from bench.engine import Engine
from bench.readings import Reading, Readings
from bench.small_batches import create_topics
from bench.sources import OURS, UNION, Listed, sources
from bench.triggers import run_idle_triggers

SUITE = "one slow cluster"
ALONE = "the slow one alone"
AMONG = "among 32"
PART = "latestOffset"
# Seconds for all requests to the slow cluster together.
ANSWER = 2.0
DELAY = "delay of each answer of its brokers"
# Measures how many answers that are, one after the other.
_PROBE = 0.25
_TOPIC = "slow"


def run(engine: Engine, brokers: Sequence[KafkaCluster], effort: Effort, readings: Readings) -> None:
    """Adds how long ``latestOffset`` takes with the slow cluster alone, and with it among 32."""
    others = create_topics(brokers, 31)
    with behind_gates("GATE") as (slow, gates):
        slow.create_topic(_TOPIC)
        gate = gates["GATE"]
        one = Listed("slow", gate.address, _TOPIC)
        gate.turn(Way(delay=_PROBE))
        rounds = max(1, round(_ask(engine, OURS, [one]) / _PROBE))
        delay = ANSWER / rounds
        readings.add(Reading(SUITE, ALONE, "forwarder", DELAY, "s", (delay,)))
        say(f"{SUITE}: {rounds} answers one after the other, each {delay:.2f} s late")
        gate.turn(Way(delay=delay))
        measured = _measure(engine, one, others, effort)
    for (case, contestant), seconds in measured.items():
        reading = Reading(SUITE, case, contestant, PART, "s", tuple(seconds))
        readings.add(reading)
        say(f"{SUITE} | {case} | {contestant}: {PART} {reading.median:.2f} s ({reading.least:.2f}-{reading.most:.2f})")


def _measure(
    engine: Engine, slow: Listed, others: Sequence[Listed], effort: Effort
) -> dict[tuple[str, str], list[float]]:
    turns = [(ALONE, OURS, [slow], effort.repetitions), (AMONG, OURS, [*others, slow], effort.repetitions)]
    if effort.whole:
        turns.append((AMONG, UNION, [*others, slow], effort.fewer))
    found: dict[tuple[str, str], list[float]] = {(case, contestant): [] for case, contestant, *_ in turns}
    for number in range(effort.repetitions):
        for case, contestant, listed, repetitions in turns:
            if number < repetitions:
                found[case, contestant].append(_ask(engine, contestant, listed))
    return found


def _ask(engine: Engine, contestant: str, listed: Sequence[Listed]) -> float:
    """Seconds of one ask. Nothing is written meanwhile, so a trigger consists only of this ask."""
    frame = sources(engine.spark, listed)[contestant].stream("latest")
    return run_idle_triggers(engine, frame, count=2).seconds[PART]
