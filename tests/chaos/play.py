"""One run, from the first record to the verdict."""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from confluent_kafka import KafkaException

from tests.chaos.faults import Faults
from tests.chaos.outcome import Outcome, outcome
from tests.chaos.places import Source, home
from tests.chaos.script import Fault
from tests.chaos.stage import Stage
from tests.chaos.verdict import due_ids
from tests.cluster import KafkaCluster, eventually

# How long the query may take to bring what is due once all is well again, seconds.
_PATIENCE = 150.0
# How long faults may take to be undone: a topic that is to be created anew rests first, and then it drains.
_UNDOING = 240.0
_LOOK = 0.5
_LINE_EVERY = 5.0


class Play:
    """Looks at everything twice a second and prints a line every few seconds."""

    def __init__(self, stage: Stage, lanes: Mapping[str, Sequence[Fault]], say: Callable[[str], None]) -> None:
        self._stage = stage
        self._lanes = lanes
        self._say = say
        self._next_line = 0.0
        self._findings: list[str] = []

    def run(self, seed: int, seconds: float, *, exam: bool) -> Outcome:
        """``exam``: at the end one topic, by the seed, is taken off and has to drain."""
        stage = self._stage
        sources = set(stage.producers.sources())
        stage.driver.start()
        began = self._reached("rows come from each source", lambda: not sources - self._arrived())
        healed = 0.0
        if began:
            self._chaos(seconds)
            healed = stage.journal.now()
            self._await_all("what was written until all was well again", set(stage.ledger.acks()))
        healing = stage.journal.now() - healed
        removed = self._exam(random.Random(f"{seed} exam")) if exam and began else {}
        for source in stage.producers.sources():
            self._at_rest(source)
        due = due_ids(stage.ledger.acks(), removed)
        self._await_all("what is due at the end", due)
        self._reached("the last batch is committed", stage.checkpoint.all_committed)
        stage.driver.kill()
        stage.table.refresh()
        return outcome(stage, seed, seconds, due, self._findings, healing)

    def _chaos(self, seconds: float) -> None:
        """Plays all lanes at once; returns when all they did is undone."""
        stage, over = self._stage, threading.Event()
        faults = Faults(stage, over)
        with ThreadPoolExecutor(max_workers=len(self._lanes), thread_name_prefix="lane") as pool:
            playing = {pool.submit(faults.play, lane): name for name, lane in self._lanes.items()}
            end = stage.journal.now() + seconds
            try:
                self._reached("the time is over", lambda: stage.journal.now() >= end or _failed(playing), seconds + 60)
            finally:
                over.set()
            self._reached("all faults are undone", lambda: all(lane.done() for lane in playing), _UNDOING)
        for lane, name in playing.items():
            failure = lane.exception()
            if failure is not None:
                self._findings.append(f"lane {name} failed: {failure!r}")
        for cluster in stage.clusters.values():
            self._reached(f"cluster {cluster.name} is up again", partial(_healed, cluster))
        stage.journal.note("all is well again")

    def _exam(self, chance: random.Random) -> dict[Source, float]:
        stage = self._stage
        source = chance.choice(stage.producers.sources())
        self._await_all(f"what was written to {source}", stage.ledger.of(source))
        removed = stage.file.take_off(source.cluster, source.topic)
        stage.journal.note(f"{source} is taken off for good")
        if chance.random() < 0.5:
            # Whoever notices the removal then knows of it from the metadata alone.
            stage.driver.kill()
            stage.driver.start()
        written = len(stage.ledger.of(source))
        self._reached("more is written to what is removed", lambda: len(stage.ledger.of(source)) > written)
        return {source: removed}

    def _at_rest(self, source: Source) -> None:
        """A writer that does not come to rest is a finding, and the verdict is without what it says."""
        try:
            self._stage.producers.rest(source)
            self._stage.producers.settle(self._stage.clusters[source.cluster], source)
        except (AssertionError, KafkaException) as failure:
            self._findings.append(f"{source} is not at rest: {failure}")

    def _await_all(self, claim: str, wanted: set[str]) -> None:
        if not self._reached(f"{claim} is in the table", lambda: wanted <= self._stage.table.ids):
            missing = wanted - self._stage.table.ids
            self._say(f"Missing are {len(missing)}, such as {', '.join(sorted(missing)[:5])}")
            self._say(f"The last progress: {self._stage.driver.last_progress()}")

    def _reached(self, claim: str, condition: Callable[[], bool], within: float = _PATIENCE) -> bool:
        """Whether it is, in time; if not, that is a finding."""

        def look() -> bool:
            self._look()
            return condition()

        try:
            eventually(claim, look, within=within, every=_LOOK)
        except AssertionError:
            self._findings.append(f"Not within {within:.0f} s: {claim}")
            self._stage.journal.note(self._findings[-1])
            return False
        return True

    def _look(self) -> None:
        stage = self._stage
        stage.table.refresh()
        stage.producers.check()
        if stage.driver.died():
            stage.journal.note("the driver's process ended by itself")
            self._findings.append("the driver's process ended by itself")
            stage.driver.kill()
            stage.driver.start()
        now = stage.journal.now()
        if now >= self._next_line:
            self._next_line = now + _LINE_EVERY
            done = sum(not kind.startswith("transaction") for kind in stage.journal.counts().elements())
            self._say(
                f"{now:6.0f} s  {done:5} faults  {len(stage.ledger):9,} written  {len(stage.table.rows):9,} in the "
                f"table  batch {stage.table.last_batch}  {len(stage.driver.endings())} queries failed"
            )

    def _arrived(self) -> set[Source]:
        return {Source(home(row.cluster), row.topic, 0) for row in self._stage.table.rows}


def _healed(cluster: KafkaCluster) -> bool:
    """Raises ``AssertionError`` as long as it is not."""
    cluster.heal()
    return True


def _failed(playing: Mapping[Future[None], str]) -> bool:
    return any(lane.done() and lane.exception() is not None for lane in playing)
