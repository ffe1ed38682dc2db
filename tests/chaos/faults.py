"""How each fault is done, and undone."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from confluent_kafka import KafkaException

from tests.chaos.checkpoint import drained
from tests.chaos.cutting import cut_log
from tests.chaos.driver import Start
from tests.chaos.journal import ORDERED
from tests.chaos.places import Source
from tests.chaos.renaming import Renaming
from tests.chaos.script import Fault, Kind
from tests.chaos.settings import keeps_flowing
from tests.chaos.stage import USER, Stage
from tests.cluster import eventually

_MOST_PARTITIONS = 6
# Longer than a broker takes to come back on a busy machine, and the query after it.
_DRAIN_SECONDS = 150.0
# A driver that was started just before has no query yet.
_RESTART_SECONDS = 30.0
_LOOK_SECONDS = 0.25
_LATE_SECONDS = 10.0
_OF_A_BROKER = {
    Kind.BROKER_KILLED,
    Kind.BROKER_RESTARTED,
    Kind.BROKER_PAUSED,
    Kind.CLUSTER_DOWN,
    Kind.PARTITION_ADDED,
    Kind.PARTITION_UNLED,
    Kind.LOG_CUT,
}
_OF_A_TOPIC = (
    Kind.TOPIC_REMOVED,
    Kind.TOPIC_PAUSED,
    Kind.PARTITION_ADDED,
    Kind.TOPIC_RECREATED,
    Kind.PARTITION_UNLED,
)
# Of a cluster that is down for long: the query still said so when it was about to come back.
SAID = f"{Kind.CLUSTER_DOWN.value}, as the query said"
_ENDS_THE_QUERY = {Kind.DRIVER_KILLED, Kind.QUERY_RESTARTED}
_TROUBLES = {Kind.SERVICE_RAISES: "raises", Kind.SERVICE_HANGS: "hangs", Kind.SERVICE_WRONG: "wrong"}


class Faults:
    """Plays lanes, each on a thread of its caller, until ``over`` is set: then all that lasts is undone."""

    def __init__(self, stage: Stage, over: threading.Event) -> None:
        self._stage = stage
        self._over = over
        # Who changes what a broker holds has the broker to himself.
        self._turns = {name: threading.Lock() for name in stage.clusters}
        self._passwords = 0
        renaming = Renaming(stage, self._comes)
        # Who returns False has done nothing, or nothing of it was seen.
        self._acts: Mapping[Kind, Callable[[Fault], bool | None]] = {
            Kind.DRIVER_KILLED: self._kill_driver,
            Kind.QUERY_RESTARTED: lambda _: self._restart_query(),
            Kind.BROKER_KILLED: self._kill_broker,
            Kind.BROKER_RESTARTED: self._restart_broker,
            Kind.BROKER_PAUSED: self._pause_broker,
            # Dead to the others in the one way or the other.
            Kind.CLUSTER_DOWN: lambda fault: (self._kill_broker if fault.draw < 0.5 else self._pause_broker)(fault),
            Kind.TOPIC_REMOVED: lambda fault: self._for(fault, stage.file.without_topics(fault.cluster, fault.topic)),
            Kind.TOPICS_EMPTIED: lambda fault: self._for(
                fault, stage.file.without_topics(fault.cluster, *stage.topics)
            ),
            Kind.CLUSTER_REMOVED: lambda fault: self._for(fault, stage.file.without_cluster(fault.cluster)),
            Kind.CLUSTER_INACTIVE: lambda fault: self._for(fault, stage.file.inactive(fault.cluster)),
            Kind.CLUSTER_RENAMED: lambda fault: renaming.rename(fault.cluster, fault.draw, lambda: self._last(fault)),
            Kind.CLUSTER_PAUSED: lambda fault: self._for(fault, stage.file.paused(fault.cluster)),
            Kind.TOPIC_PAUSED: lambda fault: self._for(fault, stage.file.paused(fault.cluster, fault.topic)),
            Kind.PARTITION_ADDED: self._add_partition,
            Kind.TOPIC_RECREATED: self._recreate_topic,
            Kind.PASSWORD_CHANGED: self._change_password,
            Kind.FILE_CUT: self._break_file,
            Kind.FILE_EMPTIED: self._break_file,
            Kind.FILE_GARBLED: self._break_file,
            Kind.FILE_MISSING: self._break_file,
            **dict.fromkeys(_TROUBLES, self._trouble_service),
            Kind.EXECUTOR_KILLED: self._kill_executor,
            Kind.PARTITION_UNLED: self._unlead,
            Kind.LOG_CUT: self._cut_log,
        }

    def play(self, lane: Iterable[Fault]) -> None:
        """Does these faults at their times, counted from now. One that takes very long puts off the others: all at once
        they would leave no time for anything else."""
        began = time.monotonic()
        for fault in lane:
            late = time.monotonic() - began - fault.at
            began += max(0.0, late - _LATE_SECONDS)
            if self._over.wait(max(0.0, -late)):
                return
            if fault.kind in _ENDS_THE_QUERY:
                self._await_batch()
            self._stage.journal.count(fault.kind.value + ORDERED)
            with self._stage.journal.during(described(fault)):
                done = self._do(fault)
            if done:
                self._stage.journal.count(fault.kind.value)
            else:
                self._stage.journal.note(f"without effect: {described(fault)}")

    def _await_batch(self) -> None:
        """Where the ages of rows are judged, a query is ended after its first batch alone. On a small machine drivers
        would be killed faster than they start, and no row would say anything."""
        stage = self._stage
        if keeps_flowing(stage.driver.order.seed):
            self._comes(lambda: has_committed(stage.checkpoint.commits(), stage.driver.starts()), _RESTART_SECONDS)

    def _do(self, fault: Fault) -> bool:
        """Whether its effect was seen."""
        try:
            return self._acts[fault.kind](fault) is not False
        except AssertionError as late:
            if fault.kind not in _OF_A_BROKER:
                raise
            # A broker that is long in coming says nothing of the query; the next fault, or the end, brings it back.
            self._stage.journal.note(f"took too long: {late}")
            self._stage.journal.count("broker long in coming")
            return False

    def _last(self, fault: Fault) -> None:
        self._over.wait(fault.lasts)

    def _for(self, fault: Fault, state: AbstractContextManager[None]) -> None:
        with state:
            self._last(fault)

    def _kill_driver(self, fault: Fault) -> bool:
        killed = self._stage.driver.kill()
        self._last(fault)
        self._stage.driver.start()
        return killed

    def _restart_query(self) -> bool:
        self._stage.driver.restart_query()
        return self._comes(lambda: not self._stage.driver.order.request.exists(), _RESTART_SECONDS)

    def _kill_broker(self, fault: Fault) -> bool:
        cluster = self._stage.clusters[fault.cluster]
        with self._turns[fault.cluster]:
            cluster.kill()
            silent = self._is_silent(fault)
            cluster.start()
        return silent

    def _is_silent(self, fault: Fault) -> bool:
        """Lets it last. Whether the broker did not answer meanwhile."""
        until = time.monotonic() + fault.lasts
        cluster, within = self._stage.clusters[fault.cluster], min(1.0, max(fault.lasts, _LOOK_SECONDS))
        silent = not cluster.is_up(within)
        while not silent and time.monotonic() < until and not self._over.wait(_LOOK_SECONDS):
            silent = not cluster.is_up(within)
        self._over.wait(max(0.0, until - time.monotonic()))
        if fault.kind is Kind.CLUSTER_DOWN:
            self._count_said(fault.cluster)
        return silent

    def _count_said(self, cluster: str) -> None:
        if says_unavailable(self._stage.driver.last_progress(), self._stage.file.id_of(cluster)):
            self._stage.journal.count(SAID)

    def _restart_broker(self, fault: Fault) -> None:
        with self._turns[fault.cluster]:
            self._stage.clusters[fault.cluster].restart()

    def _pause_broker(self, fault: Fault) -> bool:
        cluster = self._stage.clusters[fault.cluster]
        with self._turns[fault.cluster]:
            cluster.pause()
            silent = self._is_silent(fault)
            cluster.resume()
        return silent

    def _break_file(self, fault: Fault) -> None:
        self._for(fault, self._stage.file.broken(fault.kind, fault.draw))

    def _trouble_service(self, fault: Fault) -> None:
        trouble: Path = self._stage.driver.order.trouble
        trouble.write_text(_TROUBLES[fault.kind])
        self._last(fault)
        trouble.unlink()

    def _unlead(self, fault: Fault) -> bool:
        """The broker that leads a partition is away, and nobody else holds it."""
        cluster, topic = self._stage.clusters[fault.cluster], fault.topic
        with self._turns[fault.cluster]:
            partition = int(fault.draw * len(cluster.end_offsets(topic)))
            leader = cluster.leader(topic, partition)
            if leader is None:
                return False
            with self._stage.journal.during(f"{Kind.BROKER_KILLED.value} {fault.cluster}"):
                try:
                    cluster.kill(leader)
                    cluster.await_leader(topic, None, partition)
                    self._last(fault)
                finally:
                    cluster.start(leader)
            cluster.await_leader(topic, leader, partition)
        return True

    def _cut_log(self, fault: Fault) -> bool:
        with self._turns[fault.cluster]:
            return cut_log(self._stage, fault.cluster, fault.draw)

    def _add_partition(self, fault: Fault) -> bool:
        cluster = self._stage.clusters[fault.cluster]
        with self._turns[fault.cluster]:
            total = len(cluster.end_offsets(fault.topic)) + 1
            if total <= _MOST_PARTITIONS:
                cluster.add_partitions(fault.topic, total)
        return total <= _MOST_PARTITIONS

    def _change_password(self, fault: Fault) -> None:
        with self._turns[fault.cluster]:
            self._passwords += 1
            self._stage.clusters[fault.cluster].set_password(USER, f"password-{self._passwords}")
            # Meanwhile the metadata has one that is refused.
            self._last(fault)
            self._stage.file.publish()

    def _kill_executor(self, fault: Fault) -> bool:
        running = self._stage.spark.executors() if self._stage.spark else []
        if not running:
            return False
        hit = running[int(fault.draw * len(running))]
        hit.kill()
        return self._comes(lambda: not hit.is_running(), _LATE_SECONDS)

    def _recreate_topic(self, fault: Fault) -> bool:
        """In good order: nobody writes, off the metadata, drained, then away and there again, and listed again. What
        was begun is brought to its end, even when the run is over."""
        stage, producers = self._stage, self._stage.producers
        here = (fault.cluster, fault.topic)
        source = anew = max(one for one in producers.sources() if one[:2] == here)
        if self._in_time(source, lambda: producers.rest(source)):
            with stage.file.without_topics(*here):
                if self._in_time(source, lambda: self._await_gone(source)):
                    anew = self._anew(source, partitions=1 + int(fault.draw * 3))
        producers.go_on(anew)
        return anew != source

    def _anew(self, source: Source, partitions: int) -> Source:
        """The topic that takes the place of this one, which is drained; this one still, if Kafka could not be asked
        first what it holds of it."""
        stage, producers = self._stage, self._stage.producers
        with self._turns[source.cluster]:
            cluster = stage.clusters[source.cluster]
            if not self._in_time(source, lambda: producers.settle(cluster, source)):
                return source
            producers.close(source)
            cluster.delete_topic(source.topic)
            cluster.create_topic(source.topic, partitions=partitions)
            anew = source._replace(generation=source.generation + 1)
            producers.begin(cluster, anew)
        return anew

    def _in_time(self, source: Source, step: Callable[[], object]) -> bool:
        """Whether the step before a topic goes has come to its end: its broker may be away more than it is there."""
        try:
            step()
        except (AssertionError, KafkaException) as late:
            self._stage.journal.note(f"not ready in time, so not deleted: {source}: {late}")
            return False
        return True

    def _await_gone(self, source: Source) -> None:
        eventually(f"{source} is drained", lambda: self._gone(source), within=_DRAIN_SECONDS, every=_LOOK_SECONDS)

    def _gone(self, source: Source) -> bool:
        offset = self._stage.checkpoint.committed()
        cluster_id = self._stage.file.id_of(source.cluster)
        return drained(offset, cluster_id, source.topic) and self._stage.ledger.of(source) <= self._stage.table.ids

    def _comes(self, condition: Callable[[], object], within: float) -> bool:
        """Whether it does, before the run is over or too many seconds have gone."""
        until = time.monotonic() + within
        while not condition():
            if time.monotonic() > until or self._over.wait(_LOOK_SECONDS):
                return False
        return True


def has_committed(commits: Sequence[tuple[float, float]], starts: Sequence[Start]) -> bool:
    """Whether the query has committed a batch since its last start. Times are those of the wall clock."""
    return bool(commits and starts) and commits[-1][1] > starts[-1].at


def says_unavailable(progress: str, cluster_id: str) -> bool:
    """Whether a query that reported this said so of a cluster."""
    try:
        sources = json.loads(progress)["sources"]
    except ValueError:  # there is none yet, or it is just written
        return False
    return any(source["metrics"].get(f"cluster.{cluster_id}.state") == "unavailable" for source in sources)


def described(fault: Fault) -> str:
    """As the journal has it: what, and to whom."""
    topics = fault.topic if fault.kind in _OF_A_TOPIC else ""
    everywhere = fault.kind.name.startswith(("DRIVER", "QUERY", "FILE", "SERVICE", "EXECUTOR"))
    return " ".join(filter(None, (fault.kind.value, "" if everywhere else fault.cluster, topics)))
