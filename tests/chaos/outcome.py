"""What came of a run, and how it is reported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tests.chaos.ages import Ages
from tests.chaos.checkpoint import Partition, Position, positions
from tests.chaos.driver import Ending
from tests.chaos.held_up import ages_of
from tests.chaos.journal import ORDERED, Happening
from tests.chaos.places import CUT_TOPIC, Ack
from tests.chaos.repeats import Done, Repeats, judge_repeats
from tests.chaos.script import Kind
from tests.chaos.settings import limits
from tests.chaos.sink import Sink
from tests.chaos.stage import Stage
from tests.chaos.story import Evidence, stories
from tests.chaos.verdict import Verdict, judge, miscounted

# Of a query that ends because of what was done to it, by every run. Any other ending is a finding.
_EXPECTED = {
    "DYNAMIC_KAFKA_AUTHENTICATION_FAILED",
    "DYNAMIC_KAFKA_CLUSTER_NOT_LISTED",
    "DYNAMIC_KAFKA_CLUSTER_UNREACHABLE",
    "DYNAMIC_KAFKA_INVALID_METADATA",
    "DYNAMIC_KAFKA_METADATA_UNAVAILABLE",
    "DYNAMIC_KAFKA_STREAM_NOT_FOUND",
}
_PYTHON = "DYNAMIC_KAFKA_PYTHON_SERVICE"
_LOSS = "DYNAMIC_KAFKA_DATA_LOSS"
# Without these a run has said nothing of transactions,
_DUE_KINDS = ("transaction committed", "transaction aborted")
# and without these nothing of what a cluster of several brokers may do.
_DUE_OF_SEVERAL = (Kind.PARTITION_UNLED.value, Kind.LOG_CUT.value)

Ends = Mapping[int, Mapping[Partition, Position]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """``endings`` are what queries ended with, and how often; ``findings`` whatever is wrong beside the verdict.
    ``healing`` is how long it took, from when all faults were undone, until all that had been written was there.
    ``ages`` are those of the rows of healthy clusters while another was down, where the settings promise them;
    ``repeats`` what came again in Real-Time Mode."""

    seed: int
    verdict: Verdict
    seconds: float
    healing: float
    starts: int
    batches: int
    faults: Mapping[str, int]
    endings: Mapping[str, int]
    findings: Sequence[str]
    stories: Sequence[str]
    ages: Ages | None = None
    repeats: Repeats | None = None

    @property
    def holds(self) -> bool:
        return self.verdict.holds and not self.findings

    def lines(self) -> list[str]:
        """A summary to keep: what was done, what ended, what is wrong, and how much came."""
        faults = [f"{self.faults.get(kind, 0):5} {kind}{_of(self.faults, kind)}" for kind in sorted(_done(self.faults))]
        ended = [f"{count:5} queries ended with {how}" for how, count in sorted(self.endings.items())]
        rate = f"{self.verdict.arrived / self.seconds:,.0f} rows/s over {self.seconds:.0f} s"
        counts = (
            f"{self.batches:,} batches, {self.starts} starts of the query, all there {self.healing:.1f} s after healing"
        )
        last = "each id that was due arrived exactly once" if self.holds else "NOT exactly once, or not as promised"
        if self.holds and self.repeats:
            last = "each id that was due arrived, and again only after a start that had not committed it"
        aged = [str(self.ages)] if self.ages and self.ages.rows else []
        again = [str(self.repeats)] if self.repeats else []
        figures = [str(self.verdict), *aged, *again, f"{rate}, {counts}", f"seed {self.seed}: {last}"]
        return [*faults, *ended, *self.findings, *self.stories, *figures]


def _done(faults: Mapping[str, int]) -> set[str]:
    """What was done, by its name; also what was only ordered."""
    return {kind.removesuffix(ORDERED) for kind in faults}


def _of(faults: Mapping[str, int], kind: str) -> str:
    """Of how many that were ordered."""
    return f" of {faults[kind + ORDERED]} ordered" if kind + ORDERED in faults else ""


def outcome(stage: Stage, seed: int, seconds: float, due: set[str], findings: Sequence[str], healing: float) -> Outcome:
    """Of a run that is over; the faults came for so many ``seconds``."""
    acks, aborted, cut = stage.ledger.acks(), stage.ledger.aborted(), stage.ledger.cut_off()
    # What was cut off may have come, once and from its place, and is not due.
    verdict = judge({**acks, **cut}, stage.ledger.unsure(), due, stage.table.rows, aborted)
    ends = {batch: positions(stage.checkpoint.offset(batch)) for batch in stage.checkpoint.numbers("offsets")}
    places = {**acks, **cut, **{id_: ack for id_, ack in aborted.items() if ack is not None}}
    again = _repeats(stage, {**acks, **cut}, ends)
    endings = stage.driver.endings()
    surprising = [
        f"{stage.journal.at(end.at):.2f} s: a query ended with {end.condition}: {end.text}"
        for end in endings
        if not _expected(end, stage)
    ]
    on_call, counts = stage.driver.order.on_call, stage.journal.counts()
    wanted = () if on_call else (*_DUE_KINDS, *(_DUE_OF_SEVERAL if stage.several else ()))
    idle = [f"No {kind} in the whole run" for kind in wanted if not counts[kind]]
    idle += miscounted(stage.driver.most_lost(), len(cut))
    # A row of Real-Time Mode waits for no batch, and the limits are those of batches.
    promised = None if again else limits(seed, seconds, on_call=on_call)
    old = None if promised is None else ages_of(stage, promised)
    idle += [] if old is None else old.findings()
    idle += [] if again is None else again.findings()
    if old is not None and not old.rows and counts[Kind.CLUSTER_DOWN.value]:
        idle.append("No row came of a healthy cluster while another was down")
    wrong = {**verdict.wrong, **({"late": old.late} if old and old.late else {}), **(again.wrong if again else {})}
    return Outcome(
        seed=seed,
        verdict=verdict,
        seconds=stage.journal.now(),
        healing=healing,
        starts=len(stage.driver.starts()),
        batches=len(stage.checkpoint.numbers("commits")),
        faults={**counts, "record cut off": len(cut), "record read and cut off": len(cut.keys() & stage.table.ids)},
        endings=Counter(f"{end.condition}, policy {end.policy}" for end in endings),
        findings=[*findings, *surprising, *idle],
        stories=list(stories(wrong, _evidence(stage, places, ends))),
        ages=old,
        repeats=again,
    )


def _repeats(stage: Stage, places: Mapping[str, Ack], ends: Ends) -> Repeats | None:
    if not isinstance(stage.table, Sink):
        return None
    committed = {
        number: Done(ends[start.committed], stage.checkpoint.planned(start.committed))
        for number, start in enumerate(stage.driver.starts(), 1)
        if start.committed in ends
    }
    return judge_repeats(stage.table.came, places, committed)


def _evidence(stage: Stage, places: Mapping[str, Ack], ends: Ends) -> Evidence:
    at, table = stage.journal.at, stage.table
    happened = [*stage.journal.happenings(), *_of_the_query(stage, stage.driver.endings())]
    times = {batch: at(stage.checkpoint.planned(batch)) for batch in ends}
    found = Evidence(places, table.rows, sorted(happened, key=lambda one: one.begin), ends, times)
    if not isinstance(table, Sink):
        return found
    # With all copies.
    starts = {number: at(first) for number, first in table.times.items()}
    return replace(found, rows=[one.row for one in table.came], starts=starts)


def _expected(end: Ending, stage: Stage) -> bool:
    if end.condition == _PYTHON:
        return stage.driver.order.python
    if end.condition == _LOSS:
        return CUT_TOPIC in end.text
    # Spark tries a task four times, and each try may have lost its executor.
    lost = stage.spark is not None and "ExecutorLostFailure" in end.text
    # Of a query that is stopped: Spark's sink of files gives up its job while a task still commits to it
    # (`ManifestFileCommitProtocol.abortJob`).
    raced = "mutation occurred during iteration" in end.text
    return end.condition in _EXPECTED or (end.condition == "other" and (lost or raced))


def _of_the_query(stage: Stage, endings: Sequence[Ending]) -> list[Happening]:
    """Its starts, each up to the next one, and its failures."""
    starts, at = stage.driver.starts(), stage.journal.at
    until = [*(at(start.at) for start in starts[1:]), stage.journal.now()]
    ran = [
        Happening(at(start.at), end, f"a query with {start.settings}")
        for start, end in zip(starts, until, strict=False)
    ]
    failed = [Happening(at(end.at), at(end.at), f"a query ended with {end.condition}") for end in endings]
    return [*ran, *failed]
