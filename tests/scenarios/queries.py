"""Streaming queries of a test, and what they read."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from dynamic_kafka import DynamicKafkaError, find_error
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

from tests.cluster import NotYet, eventually
from tests.scenarios.batch_logs import BatchLogs

# How long a query may take to do what a test waits for, seconds; a machine of two busy cores included.
SOON = 40.0
# A trigger may use an answer that a broker gave before it began, by `brokerPollInterval` at most; seconds.
ANSWER_AGE = 0.1


def value_of(row: Row) -> str:
    """The value of a row."""
    return bytes(row["value"]).decode()


def values(rows: Iterable[Row]) -> list[str]:
    """Those of several, sorted."""
    return sorted(map(value_of, rows))


class Running:
    """One query, with the rows of each of its batches in memory; a batch that is read again takes the place of itself.

    A batch may hold rows whose commit has not been logged yet.
    """

    def __init__(self, name: str, checkpoint: Path, between: Callable[[], object] | None = None) -> None:
        self.name = name
        self.checkpoint = checkpoint
        self.batches: dict[int, list[Row]] = {}
        # What was awaited last as all that has come; when the test is over it must still be so, see `last_look`.
        self.claim: Mapping[str, int] | None = None
        self.excuse = ""
        self.failure_awaited = False
        # Called once, when the next batch is planned and none of it is read.
        self.once_planned: Callable[[], object] | None = None
        self._between = between
        self._logs = BatchLogs(checkpoint)
        self._query: StreamingQuery | None = None

    def begin(self, frame: DataFrame, mode: str, trigger: dict[str, Any]) -> None:
        writer = frame.writeStream.option("checkpointLocation", str(self.checkpoint)).foreachBatch(self._keep)
        self._query = writer.outputMode(mode).trigger(**trigger).start()

    @property
    def query(self) -> StreamingQuery:
        assert self._query is not None, "the query was not started"
        return self._query

    def rows(self) -> list[Row]:
        return [row for _, batch in sorted(self.batches.items()) for row in batch]

    def values(self) -> list[str]:
        """The values as text, in the order they came."""
        return [value_of(row) for row in self.rows()]

    def await_values(self, expected: Iterable[str], within: float = SOON) -> None:
        """Waits until just these values have come, each as often as it is given."""
        wanted = Counter(expected)

        def difference() -> tuple[Counter[str], Counter[str]]:
            self.check()
            return self.difference(wanted)

        eventually(
            "the query has read what was expected; last seen: missing, unexpected",
            difference,
            until=lambda seen: not seen[0] and not seen[1],
            within=within,
        )
        self.claim = wanted

    def difference(self, wanted: Mapping[str, int]) -> tuple[Counter[str], Counter[str]]:
        """The values that have not come as often as wanted, and those that have come more often."""
        seen = Counter(self.values())
        return Counter(wanted) - seen, seen - Counter(wanted)

    def is_not_looked_at_again(self, why: str) -> None:
        """When the test is over, the query is stopped as it is: for a cluster that stays out of reach, say."""
        self.excuse = why

    def await_among(self, expected: Iterable[str], within: float = SOON) -> None:
        """Waits until these values have come, each as often as it is given at least, among whatever else."""
        wanted = Counter(expected)
        self.claim = None

        def missing() -> Counter[str]:
            self.check()
            return wanted - Counter(self.values())

        eventually("the query has read these; last seen: missing", missing, until=lambda left: not left, within=within)

    def await_rows_of(self, cluster_id: str, count: int = 1, within: float = SOON) -> None:
        """Waits until so many more rows of a cluster have come."""

        def seen() -> int:
            self.check()
            return sum(row["cluster"] == cluster_id for row in self.rows())

        before = seen()
        self.claim = None
        eventually(
            f"{count} more rows come from {cluster_id}, where there are {before}",
            seen,
            until=lambda now: now >= before + count,
            within=within,
        )

    def check(self) -> None:
        """Raises what the query failed with, if it did."""
        failure = self.query.exception()
        if failure is not None:
            raise failure

    def has_begun_a_trigger_since(self, moment: float) -> bool:
        """Whether the last progress is of a trigger that began at this time of the clock, or later."""
        return self._progress_since(moment) is not None

    def is_at_rest_since(self, moment: float) -> bool:
        """Whether the last progress is of a trigger that began since and had no batch."""
        progress = self._progress_since(moment)
        return progress is not None and "addBatch" not in progress.durationMs

    def metrics(self) -> dict[str, str]:
        """The source's metrics in the last progress; empty before the first."""
        self.check()
        progress = self.query.lastProgress
        return {} if progress is None else dict(progress.sources[0].metrics)

    def await_metric(self, name: str, until: Callable[[str | None], object], within: float = SOON) -> str:
        """The value of a metric, once ``until`` accepts it; it is given none where a progress has no such metric."""

        def look() -> tuple[str | None]:
            metrics = self.metrics()
            if not metrics:
                raise NotYet("there is no progress yet")
            return (metrics.get(name),)

        found = eventually(f"metric {name} is as expected", look, until=lambda seen: until(seen[0]), within=within)
        return found[0] or ""

    def await_state(self, cluster_id: str, state: str | None, within: float = SOON) -> None:
        """Waits until the cluster is in this state, by its metric; none: gone."""
        self.await_metric(f"cluster.{cluster_id}.state", lambda seen: seen == state, within)

    def await_answers(self, within: float = SOON) -> None:
        """Waits for a trigger that uses no answer of a broker from before the call."""
        since = time.time() + ANSWER_AGE
        eventually("a trigger begins with new answers", lambda: self.has_begun_a_trigger_since(since), within=within)

    def offset(self) -> dict[str, Any]:
        """The newest offset in the checkpoint, by its JSON."""
        logged = self.logged("offsets")
        if not logged:
            raise NotYet("no offset is logged yet")
        text = (self.checkpoint / "offsets" / str(logged[-1])).read_text().splitlines()[-1]
        return dict(json.loads(text))

    def logged(self, folder: str) -> list[int]:
        """The numbers of the batches in the checkpoint's folder `offsets` or `commits`."""
        return self._logs.numbers(folder)

    def await_committed(self, within: float = SOON) -> None:
        """Waits until each batch that was begun is committed."""

        def state() -> tuple[list[int], list[int]]:
            self.check()
            return self.logged("offsets")[-1:], self.logged("commits")[-1:]

        eventually("all is committed", state, until=lambda seen: seen[0] and seen[0] == seen[1], within=within)

    def await_failure(self, within: float = SOON) -> DynamicKafkaError:
        """What the query fails with."""
        self.failure_awaited = True
        try:
            ended = self.query.awaitTermination(int(within))
        except StreamingQueryException as failure:
            ours = find_error(failure)
            if ours is None:
                raise AssertionError(f"not a failure of the source: {failure}") from failure
            return ours
        raise AssertionError(f"The query did not fail within {within:g} s, and {'ended' if ended else 'goes on'}.")

    def await_end(self, within: float = SOON) -> None:
        """Waits for a query that ends by itself."""
        assert self.query.awaitTermination(int(within)), f"the query has not ended within {within:g} s"

    def stop(self) -> None:
        """Stops the query wherever it is: a batch may be left over that the next start reads again."""
        self.query.stop()

    def stop_between_batches(self) -> None:
        """Stops the query as if it were stopped between two batches: for where what it read may be gone at the next
        start. A batch that it begins meanwhile is taken off the log again."""
        self.await_committed()
        self.stop()
        for number in self.logged("offsets"):
            if number > self.logged("commits")[-1]:
                self._logs.take_off("offsets", number)
                self.batches.pop(number, None)

    def leave_over(self, number: int | None = None) -> int:
        """Stops the query as if it were killed between the log of a batch and the commit of it; returns the batch's
        number, the last one's if none is given."""
        self.stop_between_batches()
        last = self.logged("commits")[-1] if number is None else number
        self._logs.leave_over(last)
        self.batches = {kept: rows for kept, rows in self.batches.items() if kept <= last}
        return last

    def _progress_since(self, moment: float) -> StreamingQueryProgress | None:
        self.check()
        progress = self.query.lastProgress
        began = progress and datetime.fromisoformat(progress.timestamp).timestamp()
        return progress if began and began >= moment else None

    def _keep(self, batch: DataFrame, batch_id: int) -> None:
        planned, self.once_planned = self.once_planned, None
        if planned is not None:
            planned()
        self.batches[batch_id] = batch.collect()
        if self._between is not None:
            self._between()


class Queries:
    """Starts queries and stops those that are left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Running] = []

    def __iter__(self) -> Iterator[Running]:
        """Those that were started."""
        return (running for running in self._started if running._query is not None)

    def start(
        self,
        frame: DataFrame,
        *,
        after: Running | None = None,
        between: Callable[[], object] | None = None,
        once_planned: Callable[[], object] | None = None,
        mode: str = "append",
        **trigger: Any,
    ) -> Running:
        """Starts a query into memory. ``after`` is a query that has ended and goes on in this one: its checkpoint and
        its batches. ``between`` is called once the rows of a batch are kept, before the next batch is prepared.
        ``once_planned`` is called once, when the first batch is planned and none of it is read.
        ``mode`` is the output mode, and ``trigger`` what pyspark's ``trigger`` takes."""
        number = len(self._started)
        checkpoint = self._folder / f"checkpoint-{number}" if after is None else after.checkpoint
        running = Running(f"query-{number}", checkpoint, between)
        if after is not None:
            running.batches = dict(after.batches)
        running.once_planned = once_planned
        self._started.append(running)
        running.begin(frame, mode, trigger or {"processingTime": "200 milliseconds"})
        return running

    def stop(self) -> None:
        for running in self:
            running.stop()
