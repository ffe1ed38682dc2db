"""How much sick clusters delay healthy ones: the age of the healthy rows when they reach the sink."""

import os
import statistics
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from dynamic_kafka._jar import jar_path

from bench.ages import Ages, Window, Written, ages
from bench.console import say
from bench.effort import Effort
from bench.folders import WORK
from bench.reader import Reader
from bench.readings import Reading, Readings
from bench.sick_cases import Case, servers
from bench.sources import OURS
from bench.timed_writes import TimedWrites
from bench.triggers import TRIGGER

SUITE = "sick clusters"
P50, P99, MOST = "p50", "p99", "max"
# Parts of a query's time: until the fall, around it, and from some seconds after it.
BEFORE, FALL, AFTER = "before", "at the fall", "from 20 s after it"
LONGER = "longer than before, at most"
BATCH = "a batch before"
LATEST = "latestOffset before"
# The jar with which ours is compared, if there is one.
AGAINST = "BENCH_AGAINST"
OTHER = "the other jar"

# Records each 100 ms: of all topics together, and of one at most.
_PER_STEP = 160
_MOST_EACH = 20
_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Windows:
    """Seconds: until a query is warm; before the fall; around the fall, before and after it; after that; until the last
    rows of these have come; and until all are healthy again and are written to a little longer."""

    warm: float
    before: float
    after: float
    just_before: float = 5
    fall: float = 20
    rest: float = 5
    well: float = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """When some clusters fell sick, and until when they were, in seconds of the clock."""

    fell: float
    over: float


WHOLE = Windows(warm=6, before=20, after=20)
SHORT = Windows(warm=5, before=12, after=12)
# Until a reader's JVM has compiled the code of a trigger. After half of this time triggers still get faster.
_FIRST = 40.0


def metric(part: str, value: str) -> str:
    return f"{value}, {part}"


def run(effort: Effort, readings: Readings) -> None:
    """Adds readings of each case, for our jar and in turn for the one in ``BENCH_AGAINST``."""
    jars = {OURS: jar_path()} | ({OTHER: Path(os.environ[AGAINST])} if os.environ.get(AGAINST) else {})
    found: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    with ExitStack() as stack:
        say("Starting six brokers ...")
        brokers = stack.enter_context(servers())
        readers = {
            name: stack.enter_context(Reader(jar, WORK / f"reader-{number}"))
            for number, (name, jar) in enumerate(jars.items())
        }
        for number, reader in enumerate(readers.values()):
            _measure(brokers.cases(f"warm-{number}")[-1], reader, Windows(warm=_FIRST, before=5, after=1, fall=1))
        for turn in range(_ROUNDS if effort.whole else 1):
            of_each = (brokers.cases(f"{turn}-{number}") for number in range(len(readers)))
            for same in zip(*of_each, strict=True):
                for case, (name, reader) in zip(same, readers.items(), strict=True):
                    measured = _measure(case, reader, WHOLE if effort.whole else SHORT)
                    found.setdefault((case.name, name), []).append(measured)
                    said = ", ".join(f"{key} {value:.2f}" for key, value in measured.items())
                    say(f"{SUITE} | round {turn + 1} | {case.name} | {name}: {said}")
    for (case_name, name), rounds in found.items():
        for key in rounds[0]:
            readings.add(Reading(SUITE, case_name, name, key, "s", tuple(one[key] for one in rounds)))


def _measure(case: Case, reader: Reader, windows: Windows) -> dict[str, float]:
    """One query whose clusters are healthy, then not, then healthy again: seconds by metric. Raises ``AssertionError``
    if a record did not come, or came twice."""
    for place in case.places:
        place.create()
    with TimedWrites(case.written, min(_MOST_EACH, _PER_STEP // len(case.written))) as writes:
        reader.start([place.read for place in case.places])
        reader.await_rows([one.cluster_id for one in case.written])
        _pass(windows.warm + windows.before + windows.just_before)
        # Each case falls sick at the same point: a batch is planned and is not read yet.
        reader.await_batch()
        fell = time.time()
        try:
            case.falls_sick()
            _pass(windows.fall + windows.after + windows.rest)
            moment = Moment(fell, time.time())
        finally:
            case.recovers()
        _pass(windows.well)
        writes.stop()
        written = writes.written()
        try:
            reader.await_all(written)
        finally:
            reader.stop()
    if reader.again:
        raise AssertionError(f"{case.name}: {len(reader.again)} records came twice, such as {reader.again[0]}.")
    names = {place.read.cluster_id for place in case.healthy}
    healthy = [one for one in written if one.cluster in names]
    return seconds(healthy, reader.came, reader.triggers, moment, windows)


def seconds(
    healthy: Sequence[Written],
    came: Mapping[Written, float],
    triggers: Mapping[float, Mapping[str, int]],
    moment: Moment,
    windows: Windows,
) -> dict[str, float]:
    """Pure: by metric, of the rows of healthy clusters and the durations of triggers."""
    begin, later = moment.fell - windows.just_before, moment.fell + windows.fall
    before = ages(healthy, came, Window(begin - windows.before, begin, moment.fell))
    fall = ages(healthy, came, Window(begin, later, moment.over))
    after = ages(healthy, came, Window(later, later + windows.after, moment.over))
    usual = [durations for began, durations in triggers.items() if begin - windows.before <= began < begin]
    return {
        **_percentiles(BEFORE, before),
        metric(FALL, MOST): fall.most,
        **_percentiles(AFTER, after),
        LONGER: max(0.0, fall.most - before.most),
        BATCH: statistics.median(durations[TRIGGER] for durations in usual) / 1000,
        LATEST: statistics.median(durations.get("latestOffset", 0) for durations in usual) / 1000,
    }


def _percentiles(part: str, found: Ages) -> dict[str, float]:
    return {metric(part, P50): found.p50, metric(part, P99): found.p99, metric(part, MOST): found.most}


def _pass(seconds: float) -> None:
    """Lets time pass while rows are written and read. The measurement needs a period of time."""
    threading.Event().wait(seconds)
