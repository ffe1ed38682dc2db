"""How much sick clusters delay healthy ones: the age of the healthy rows when they reach the sink."""

import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from dynamic_kafka._jar import jar_path
from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.cluster.gate import PASS, REFUSE, Gate, Way
from tests.cluster.ports import claim_port

from bench.ages import Ages, Window, ages, pause
from bench.console import say
from bench.effort import Effort
from bench.folders import FOLDER, WORK
from bench.reader import Reader
from bench.readings import Reading, Readings
from bench.sources import OURS, Listed
from bench.timed_writes import TimedWrites

SUITE = "sick clusters"
DEAD, FROZEN, REFUSING, SLOW = "1 of 3 dead", "1 of 3 frozen", "1 of 3 refuses", "1 of 3 answers after 2 s"
MANY = "10 of 32 frozen"
CASES = (DEAD, FROZEN, REFUSING, SLOW, MANY)
P50, P99, MOST = "p50", "p99", "max"
ALL_WELL, SICK = "all healthy", "while it lasts"
PAUSE = "pause when it falls silent"
LATEST = "latestOffset, all healthy"
# The jar with which ours is compared, if there is one.
AGAINST = "BENCH_AGAINST"
OTHER = "the other jar"

# The delay of each answer of the slow one, in seconds.
_LATE = 2.0
_MANY, _FROZEN_OF_THEM = 32, 10
_GATED = "GATED"


@dataclass(frozen=True, slots=True)
class Windows:
    """Seconds: until a query is warm; with all healthy; around the failure, which is in neither window; while it lasts;
    and, after each window, until its last rows have come."""

    warm: float
    healthy: float
    around: float
    sick: float
    rest: float = 2.0


# Both windows have the same length, so that the rarest ages can be compared.
WHOLE = Windows(warm=6, healthy=20, around=5, sick=20)
SHORT = Windows(warm=5, healthy=15, around=5, sick=15)
# Until a reader's JVM has compiled the code of a trigger. After half of this time triggers still get faster.
_FIRST = 40.0


@dataclass(frozen=True, slots=True)
class Case:
    """``listed`` is what is read, ``written`` the part of it to which records are written: only the healthy clusters,
    so that no batch is planned on the others when they fail."""

    name: str
    listed: Sequence[Listed]
    written: Sequence[Listed]
    falls_sick: Callable[[], None]
    recovers: Callable[[], None]


def metric(part: str, value: str) -> str:
    return f"{value}, {part}"


def run(effort: Effort, readings: Readings) -> None:
    """Adds readings of each case, for our jar and in turn for the one in ``BENCH_AGAINST``."""
    jars = {OURS: jar_path()} | ({OTHER: Path(os.environ[AGAINST])} if os.environ.get(AGAINST) else {})
    windows = WHOLE if effort.whole else SHORT
    with ExitStack() as stack:
        port = claim_port()
        stack.callback(port.release)
        clusters = stack.enter_context(KafkaClusters(FOLDER / "clusters"))
        say("Starting three brokers ...")
        pair = clusters.start("a", "b")
        (sick,) = clusters.start("c", settings=ServerSettings(advertised_ports={_GATED: port.number}))
        gate = stack.enter_context(Gate(port.number, sick.port(_GATED)))
        cases = [*_of_three(pair, sick, gate), _of_many(pair, sick)]
        readers = {
            name: stack.enter_context(Reader(jar, WORK / f"reader-{number}"))
            for number, (name, jar) in enumerate(jars.items())
        }
        for reader in readers.values():
            _warm(cases[0], reader)
        found: dict[tuple[str, str], list[dict[str, float]]] = {}
        for number in range(effort.fewer if effort.whole else 1):
            for case in cases:
                for name, reader in readers.items():
                    measured = _measure(case, reader, windows)
                    found.setdefault((case.name, name), []).append(measured)
                    said = ", ".join(f"{key} {value:.2f}" for key, value in measured.items())
                    say(f"{SUITE} | round {number + 1} | {case.name} | {name}: {said}")
    for (case_name, name), rounds in found.items():
        for key in rounds[0]:
            readings.add(Reading(SUITE, case_name, name, key, "s", tuple(one[key] for one in rounds)))


def _of_three(pair: Sequence[KafkaCluster], sick: KafkaCluster, gate: Gate) -> list[Case]:
    written = [Listed(cluster.name, cluster.bootstrap_servers, "sick-rows") for cluster in pair]
    for cluster in (*pair, sick):
        cluster.create_topic("sick-rows")
    itself = [*written, Listed("c", sick.bootstrap_servers, "sick-rows")]
    gated = [*written, Listed("c", gate.address, "sick-rows")]

    def turned(way: Way) -> Callable[[], None]:
        return lambda: gate.turn(way)

    return [
        Case(DEAD, itself, written, sick.kill, sick.start),
        Case(FROZEN, itself, written, sick.pause, sick.resume),
        Case(REFUSING, gated, written, turned(REFUSE), turned(PASS)),
        Case(SLOW, gated, written, turned(Way(delay=_LATE)), turned(PASS)),
    ]


def _of_many(pair: Sequence[KafkaCluster], sick: KafkaCluster) -> Case:
    """Three brokers serve as all clusters. Each cluster has its own id, topic and connections."""
    healthy = [_alone(number, pair[number % len(pair)]) for number in range(_MANY - _FROZEN_OF_THEM)]
    frozen = [_alone(_MANY - number - 1, sick) for number in range(_FROZEN_OF_THEM)]
    return Case(MANY, [*healthy, *frozen], healthy, sick.pause, sick.resume)


def _alone(number: int, broker: KafkaCluster) -> Listed:
    listed = Listed(f"cluster-{number:02d}", broker.bootstrap_servers, f"sick-rows-{number:02d}")
    broker.create_topic(listed.topic)
    return listed


def _warm(case: Case, reader: Reader) -> None:
    with TimedWrites(case.written):
        begun = time.time()
        reader.start(case.listed)
        reader.await_rows([one.cluster_id for one in case.written], begun)
        _pass(_FIRST)
        reader.stop()


def _measure(case: Case, reader: Reader, windows: Windows) -> dict[str, float]:
    """One query, first healthy and then not: seconds by metric."""
    with TimedWrites(case.written) as writes:
        begun = time.time()
        reader.start(case.listed)
        try:
            reader.await_rows([one.cluster_id for one in case.written], begun)
            _pass(windows.warm)
            healthy = _window(windows.healthy, windows.rest)
            moment = time.time()
            case.falls_sick()
            _pass(windows.around)
            sick = _window(windows.sick, windows.rest)
            reader.refresh()
        finally:
            case.recovers()
        reader.stop()
    written, came = writes.written(), reader.came
    latest = [taken for began, taken in reader.latest_offset.items() if healthy.begin <= began < healthy.end]
    return {
        **_percentiles(ALL_WELL, ages(written, came, healthy)),
        **_percentiles(SICK, ages(written, came, sick)),
        PAUSE: max(0.0, pause(written, came, moment, windows.around)),
        LATEST: statistics.fmean(latest),
    }


def _percentiles(part: str, found: Ages) -> dict[str, float]:
    return {metric(part, P50): found.p50, metric(part, P99): found.p99, metric(part, MOST): found.most}


def _window(seconds: float, rest: float) -> Window:
    """The begin and end of a window, and until when its rows are awaited."""
    begin = time.time()
    _pass(seconds + rest)
    return Window(begin, begin + seconds, begin + seconds + rest)


def _pass(seconds: float) -> None:
    """Lets time pass while rows are written and read. The measurement needs a period of time."""
    threading.Event().wait(seconds)
