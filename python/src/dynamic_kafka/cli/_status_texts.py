"""How statuses are put into words."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from textwrap import fill

from rich.text import Text

from dynamic_kafka._durations import rough
from dynamic_kafka._redaction import printable
from dynamic_kafka._status import AnyStatus, ClusterStatus, Deferral, QueryStatus, UnreadableStatus

_GLUE = "\0"
# How long after they were read deferred records are still reported.
_NEWS = timedelta(hours=1)
# The longest text of a cause that is shown; the JSON has all of it.
_LONGEST = 300

NEEDS = {
    "listed": "the metadata lists it: remove it first",
    "unrecorded": "no finished batch has recorded yet that it is no longer listed",
    "draining": "it is not drained yet",
    "successor": "the cluster that continues it has not taken over: it is behind, paused, or does not answer",
    "deferred": "deferred records are not read yet",
    "uncommitted": "an uncommitted batch still reads it",
}


def age(since: datetime, now: datetime) -> str:
    return rough((now - since).total_seconds())


def count(records: int) -> str:
    for unit, name in ((10**9, "G"), (10**6, "M")):
        if records >= unit * 10:
            return f"{records / unit:,.1f}{name}"
    return f"{records:,}"


def counted(number: int, what: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{count(number)} {what if number == 1 else many or f'{what}s'}"


def plain(text: str) -> str:
    """Without the prefix that all conditions share: it takes a quarter of a line."""
    return text.replace("DYNAMIC_KAFKA_", "")


def clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def state_of(status: AnyStatus, now: datetime) -> Text:
    if isinstance(status, UnreadableStatus):
        return Text("unreadable", "bold red")
    if status.silent(now):
        return Text("silent", "bold red")
    if status.state == "running" and status.clusters is None:
        return Text("starting", "yellow")
    return Text(status.state, {"failed": "bold red", "running": "green"}.get(status.state, ""))


def summary(status: QueryStatus, width: int) -> str:
    """How many clusters are in which state, the sick ones first. No line ends between a number and its state."""
    clusters = sorted((status.clusters or {}).values(), key=lambda one: not one.sick)
    states = Counter(one.state for one in clusters if one.state not in (None, "removed"))
    facts = ["metadata refused"] if status.refused is not None else []
    if status.looked is not None and status.busy():
        facts.append(f"no new batch for {age(status.looked, status.written)}")
    whole = ", ".join(
        fact.replace(" ", _GLUE) for fact in facts + [f"{number} {state}" for state, number in states.items()]
    )
    return fill(whole, width, break_long_words=False).replace(_GLUE, " ")


def findings(status: QueryStatus, now: datetime) -> list[str]:
    """What somebody should look at, the worst first."""
    found = []
    if status.silent(now):
        asked = "was asked to end (SIGTERM, Ctrl-C), and did not start again"
        ended = asked if status.ended_by_process else "is dead, or hangs"
        found.append(f"It wrote nothing for {age(status.written, now)}: its driver {ended}.")
    if status.state == "failed":
        about = f": {', '.join(status.concerns)}" if status.concerns else ""
        found.append(f"It failed with {plain(status.condition or 'an error that has no name')}{about}.")
    if status.refused is not None:
        found.append(f"It refuses its metadata: [{plain(status.refused['condition'])}] {status.refused['reason']}")
    clusters = sorted((status.clusters or {}).items(), key=lambda one: (-one[1].pending, one[0]))
    first: dict[str | None, str] = {}
    for name, cluster in clusters:
        if cluster.sick:
            found.append(_line(name, cluster, first.setdefault(cluster.cause, name)))
    return found


def news(status: QueryStatus, now: datetime) -> list[str]:
    """What was wrong until a short time ago, and is good now."""
    found = []
    for name, cluster in (status.clusters or {}).items():
        last = cluster.last_deferral
        if last is not None and last.made_good is not None and now - last.made_good < _NEWS:
            took = age(last.at, last.made_good)
            found.append(f"{_deferred(name, last)}: made good {age(last.made_good, now)} ago, after {took}.")
    return found


def _deferred(name: str, last: Deferral) -> str:
    batch = "an earlier batch" if last.batch is None else f"batch {last.batch}"
    parts = f"{counted(last.partitions, 'partition')} of {printable(name)}, {counted(last.records, 'record')}"
    return f"deferred in {batch}: {parts} ({plain(last.condition)})"


def _line(name: str, cluster: ClusterStatus, first: str) -> str:
    """The cause is written out for the ``first`` cluster that has it."""
    facts = [cluster.state] if cluster.state else []
    facts += [f"{counted(cluster.pending, 'record')} behind"] if cluster.pending else []
    facts += [f"{counted(cluster.deferred, 'deferred record')} not read yet"] if cluster.deferred else []
    last = cluster.last_deferral
    facts += [_deferred(name, last)] if cluster.deferred and last is not None and last.made_good is None else []
    facts += [f"{counted(cluster.uncommitted, 'record')} of an unfinished batch"] if cluster.uncommitted else []
    cause = ""
    if cluster.cause is not None:
        text = plain(cluster.cause)
        cause = f": {clipped(text)}" if first == name else f": {text.partition(' ')[0]} as {printable(first)}"
    return f"{printable(name)} {', '.join(facts)}{cause}"
