"""Real-Time Mode, from Kafka to Kafka: how old a record is when its row is stored, here and by Spark's own source."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass, replace

from tests.cluster import KafkaCluster, KafkaClusters, ServerSettings
from tests.matrix.corners import spark_folder

from bench.ages import Ages, Window, Written, ages
from bench.console import say
from bench.effort import Effort
from bench.folders import FOLDER, WORK
from bench.readings import Reading, Readings
from bench.real_time_program import COUNT, DISTINCT, ROWS, Live
from bench.real_time_session import LiveSession
from bench.sources import OURS, Listed
from bench.steady_writes import Arrivals, SteadyWrites
from bench.tls import new_certificates, trusting

SUITE = "Real-Time Mode"
# The first one whose Real-Time Mode has stateful operators.
STATEFUL_SPARK = "4.3.0"
SPARKS = "Spark's own source"
ONE, BORDERS, MANY, HUNDRED = "1 cluster x 4", "1 cluster x 4, batches of 5 s", "8 clusters x 8", "100 clusters, TLS"
STATEFUL = {work: f"1 cluster x 4, {work} on Spark {STATEFUL_SPARK}" for work in (DISTINCT, COUNT)}
DIES, CATCHES_UP = "1 of 3 busy clusters is frozen", "1 of 3 catches up"
P50, P99, MOST = "p50", "p99", "max"
BEFORE, AFTER = "before", "after the first 15 s"
ADDED, IDLE = "a cluster is added, asked every second", "8 idle clusters"
FIRST_ROW, CPU, REQUESTS = (
    "from the change to the first row",
    "CPU of the JVM",
    "requests a second to each of 2 brokers",
)

SLOTS = 4
# Of a stateful query: those of the source, and of what follows its shuffle.
_STATEFUL_SLOTS = SLOTS + 2
_RATE = 1000
_LONG = "5 minutes"
_SHORT = "5 seconds"
_BACKLOG = 1_000_000
# Above the numbers of all other records.
_FAR = 1_000_000_000
_TURNING = 15.0


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds: until a query is warm, how long it is then measured, and how often."""

    warm: float
    measured: float
    rounds: int


_WHOLE, _QUICK = Times(20, 60, 3), Times(15, 30, 1)


def metric(part: str, value: str) -> str:
    return f"{value}, {part}"


class Suite:
    """Brokers, and one session for each source. Each query has topics of its own."""

    def __init__(self, stack: ExitStack, times: Times) -> None:
        clusters = stack.enter_context(KafkaClusters(FOLDER / "clusters"))
        say("Starting four brokers ...")
        certificates = new_certificates()
        self.a, self.b, self.c = clusters.start("a", "b", "c")
        (self.tls,) = clusters.start("tls", settings=ServerSettings(certificates=certificates))
        self._login = trusting(certificates)
        other = spark_folder(STATEFUL_SPARK)
        self._sessions = {
            (name, stateful): stack.enter_context(LiveSession(WORK / f"live-{number}-{stateful}", *needs))
            for number, name in enumerate((OURS, SPARKS))
            for stateful, needs in ((False, (SLOTS,)), (True, (_STATEFUL_SLOTS, other)))
        }
        self._times = times
        self._values: dict[tuple[str, str, str, str], list[float]] = {}
        self._numbers = itertools.count()

    def on(
        self, servers: Sequence[KafkaCluster], clusters: int, partitions: int, name: str = "cluster"
    ) -> list[Listed]:
        """So many clusters, each with its own id and topic; these servers serve as all of them."""
        number = next(self._numbers)
        found = []
        for index in range(clusters):
            server = servers[index % len(servers)]
            one = Listed(f"{name}-{index}", server.second_address, f"in-{number}-{index}")
            server.create_topic(one.topic, partitions)
            found.append(one)
        return found

    def behind_tls(self, clusters: int) -> tuple[list[Listed], list[Listed]]:
        """As they are written, and as they are read."""
        written = self.on([self.tls], clusters, 1)
        address = self.tls.secure_address("TLS")
        return written, [Listed(one.cluster_id, address, one.topic, self._login) for one in written]

    @contextmanager
    def running(
        self, source: str, listed: Sequence[Listed], every: str = _LONG, work: str = ROWS
    ) -> Iterator[tuple[LiveSession, Arrivals]]:
        arrivals = Arrivals(self.a, f"out-{next(self._numbers)}")
        session = self._sessions[source, work != ROWS]
        order = [astuple(one) for one in listed], self.a.second_address, arrivals.topic, every, work
        session.start(Live(source, *order))
        try:
            yield session, arrivals
        finally:
            session.stop()
            arrivals.close()

    def healthy(
        self,
        case: str,
        source: str,
        written: Sequence[Listed],
        read: Sequence[Listed] | None = None,
        every: str = _LONG,
        work: str = ROWS,
    ) -> None:
        """Adds the ages of rows while nothing happens."""
        running = self.running(source, read or written, every, work)
        with running as (_, arrivals), SteadyWrites(written, _RATE) as writes:
            arrivals.await_all(1)
            _pass(self._times.warm)
            began = time.time()
            _pass(self._times.measured)
            ended = time.time()
            writes.stop()
            found = writes.written()
            arrivals.await_all(len(found))
            self._add(case, source, "", ages(found, arrivals.came(found), Window(began, ended, time.time())))

    def dies(self) -> None:
        """Adds the ages of healthy rows before a busy cluster is frozen, and later."""

        def freeze(_: LiveSession, __: Sequence[Listed]) -> int:
            self.c.pause()
            return 0

        self._disturbed(DIES, [*self.on([self.a, self.b], 2, 4), *self.on([self.c], 1, 4, "sick")], freeze)

    def catches_up(self) -> None:
        """The same when a cluster with a million records is listed."""
        (late,) = self.on([self.c], 1, 4, "sick")
        self.c.produce(late.topic, ((None, str(_FAR + number).ljust(100)) for number in range(_BACKLOG)))

        def join(session: LiveSession, listed: Sequence[Listed]) -> int:
            session.list([*listed, late])
            return _BACKLOG

        self._disturbed(CATCHES_UP, self.on([self.a, self.b], 2, 4), join)

    def _disturbed(
        self, case: str, listed: list[Listed], disturb: Callable[[LiveSession, Sequence[Listed]], int]
    ) -> None:
        with self.running(OURS, listed) as (session, arrivals), SteadyWrites(listed, _RATE) as writes:
            arrivals.await_all(1)
            _pass(self._times.warm)
            began = time.time()
            _pass(self._times.measured)
            fell = time.time()
            try:
                more = disturb(session, listed)
                _pass(_TURNING + self._times.measured)
                ended = time.time()
            finally:
                self.c.resume()
            writes.stop()
            written = writes.written()
            arrivals.await_all(len(written) + more)
            healthy = [one for one in written if one.cluster != "sick-0"]
            came = arrivals.came(healthy)
            self._add(case, OURS, BEFORE, ages(healthy, came, Window(began, fell, ended)))
            self._add(case, OURS, AFTER, ages(healthy, came, Window(fell + _TURNING, ended, ended)))

    def added(self) -> None:
        """Adds how long it takes until the first row of a cluster has come that is listed in the middle of a batch."""
        first, second = self.on([self.a, self.b], 2, 4)
        with self.running(OURS, [first]) as (session, arrivals):
            self.a.produce(first.topic, [(None, "0")])
            self.b.produce(second.topic, [(None, "1")])
            arrivals.await_all(1)
            _pass(self._times.warm)
            changed = time.time()
            session.list([first, second])
            arrivals.await_all(2)
            (row,) = arrivals.came([Written(second.cluster_id, 1, 0)]).values()
            self._reading(ADDED, OURS, FIRST_ROW, "s", row - changed)

    def idle(self) -> None:
        """Adds what a query costs to which nothing is written."""
        reporter = {"metric.reporters": "org.apache.kafka.common.metrics.JmxReporter"}
        listed = [replace(one, login=reporter) for one in self.on([self.a, self.b], 8, 8)]
        with self.running(OURS, listed) as (session, arrivals):
            self.a.produce(listed[0].topic, [(None, "0")])
            arrivals.await_all(1)
            _pass(self._times.warm)
            before, cpu, requests = time.monotonic(), session.cpu_seconds(), session.requests()
            _pass(self._times.measured)
            seconds = time.monotonic() - before
            self._reading(IDLE, OURS, CPU, "% of a core", 100 * (session.cpu_seconds() - cpu) / seconds)
            # Clients of an earlier query may close meanwhile.
            sent = sum(count - requests.get(client, 0) for client, count in session.requests().items())
            self._reading(IDLE, OURS, REQUESTS, "/s", sent / seconds / 2)

    def _add(self, case: str, source: str, part: str, found: Ages) -> None:
        for name, seconds in ((P50, found.p50), (P99, found.p99), (MOST, found.most)):
            self._reading(case, source, metric(part, name) if part else name, "ms", seconds * 1000)

    def _reading(self, case: str, source: str, name: str, unit: str, value: float) -> None:
        self._values.setdefault((case, source, name, unit), []).append(value)
        say(f"{SUITE} | {case} | {source}: {name} {value:.1f} {unit}")

    def save(self, readings: Readings) -> None:
        for (case, source, name, unit), values in self._values.items():
            readings.add(Reading(SUITE, case, source, name, unit, tuple(values)))


def run(effort: Effort, readings: Readings) -> None:
    """Adds readings of each case. Raises ``AssertionError`` if a record did not come, or came twice."""
    times = _WHOLE if effort.whole else _QUICK
    with ExitStack() as stack:
        suite = Suite(stack, times)
        for turn in range(times.rounds):
            say(f"{SUITE}: round {turn + 1} of {times.rounds}")
            for every, case in ((_LONG, ONE), (_SHORT, BORDERS)):
                for source in (SPARKS, OURS):
                    suite.healthy(case, source, suite.on([suite.a], 1, 4), every=every)
            for work, case in STATEFUL.items():
                for source in (SPARKS, OURS):
                    suite.healthy(case, source, suite.on([suite.a], 1, 4), work=work)
            suite.healthy(MANY, OURS, suite.on([suite.a, suite.b], 8, 8))
            suite.healthy(HUNDRED, OURS, *suite.behind_tls(100))
            suite.dies()
            suite.catches_up()
            suite.added()
            suite.idle()
        suite.save(readings)


def _pass(seconds: float) -> None:
    """Lets time pass while rows are written and read. The measurement needs a period of time."""
    threading.Event().wait(seconds)
