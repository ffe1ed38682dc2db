"""`dynamic-kafka can-remove CLUSTER PATH`: whether a cluster may be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from rich.text import Text

from dynamic_kafka._redaction import printable
from dynamic_kafka._status import AnyStatus, QueryStatus, UnreadableStatus, Verdict, read_statuses, same_kafka, verdict
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, say, table_of
from dynamic_kafka.cli._status_texts import NEEDS, age, clipped, counted, plain
from dynamic_kafka.cli.status import PathArgument

ClusterArgument = Annotated[str, typer.Argument(metavar="CLUSTER", help="The id of the cluster, as in the metadata.")]
UnknownOption = Annotated[
    bool,
    typer.Option("--unknown-ok", help="Accepts an id that no query knows, because all have forgotten it."),
]
# The most known ids that are shown.
_MOST = 5
_CODES = {
    Verdict.REMOVABLE: ExitCode.GOOD,
    Verdict.NEEDED: ExitCode.FOUND,
    Verdict.UNKNOWN: ExitCode.COULD_NOT_LOOK,
}
# The worst first.
_ORDER = (Verdict.NEEDED, Verdict.UNKNOWN, Verdict.REMOVABLE)
_WORDS = {
    Verdict.REMOVABLE: "No query needs {}: it may be switched off.",
    Verdict.NEEDED: "Do not switch off {}.",
    Verdict.UNKNOWN: "It is not known whether {} is still needed.",
}
_STYLES = {Verdict.REMOVABLE: "green", Verdict.NEEDED: "bold red", Verdict.UNKNOWN: "bold yellow"}


@dataclass(frozen=True, slots=True)
class _Judged:
    status: AnyStatus
    verdict: Verdict
    needs: Mapping[str, tuple[str, ...]]

    @property
    def shown(self) -> str:
        return self.status.shown if isinstance(self.status, QueryStatus) else self.status.file


def can_remove(
    cluster: ClusterArgument, path: PathArgument, *, unknown_ok: UnknownOption = False, as_json: JsonOption = False
) -> None:
    """Says whether a cluster may be switched off.

    It may if each query of the folder has drained it, or never had it. Exit code 1: a query needs it.
    Exit code 2: it is not known, because a status is too old, or no query knows the id.
    """
    now = datetime.now(timezone.utc)
    statuses = read_statuses(path)
    names = same_kafka(cluster, statuses)
    judged = [_Judged(one, *verdict(one, names or {cluster}, now)) for one in statuses]
    judged.sort(key=lambda one: (_ORDER.index(one.verdict), one.shown))
    overall = min((one.verdict for one in judged), key=_ORDER.index)
    if not names and not unknown_ok:
        overall = Verdict.UNKNOWN
    nearest = () if names else _nearest(cluster, statuses)
    if as_json:
        print_json(_report(cluster, names, nearest, judged, overall, now), indent=2)
    else:
        _show(cluster, names, judged, now)
        if not names:
            _say_unknown(cluster, nearest, len(statuses))
        say(overall.value, _WORDS[overall].format(cluster), _STYLES[overall])
    raise typer.Exit(_CODES[overall])


def _show(cluster: str, names: frozenset[str], judged: list[_Judged], now: datetime) -> None:
    table = table_of("Query", "Cluster", "Why")
    table.columns[0].max_width = 26
    for one in judged:
        why = _why(one, names, now)
        table.add_row(
            safe(one.shown), Text(one.verdict.value, _STYLES[one.verdict]), Text("\n".join(map(printable, why)))
        )
    result().print(table)
    for one in judged:
        if one.verdict is Verdict.UNKNOWN:
            _say_old(one, now)
    others = sorted(names - {cluster})
    if others:
        say("Note", f"{cluster} is the same Kafka cluster as {', '.join(others)}.", "bold")


def _why(one: _Judged, names: frozenset[str], now: datetime) -> list[str]:
    if isinstance(one.status, UnreadableStatus):
        return ["its file can't be read"]
    if one.status.clusters is None:
        return [f"its status, written {age(one.status.written, now)} ago, lists no clusters yet"]
    if one.verdict is Verdict.REMOVABLE:
        return ["drained" if names & set(one.status.clusters) else "never had it, or has forgotten it"]
    return [
        f"{name}: {text}" if len(names) > 1 else text
        for name, needs in one.needs.items()
        for text in [*(NEEDS.get(need, need) for need in needs), *_delays(one.status, name)]
    ]


def _delays(status: QueryStatus, name: str) -> list[str]:
    """What delays the end of a cluster, as far as the status says it."""
    found = []
    cluster = (status.clusters or {})[name]
    if set(cluster.needs) != {"listed"}:
        found += [clipped(plain(cluster.cause))] if cluster.cause else []
        found += [f"{counted(cluster.pending, 'record')} not read yet"] if cluster.pending else []
    if status.looked is not None and status.busy():
        found.append(f"the query has prepared no batch for {age(status.looked, status.written)}")
    return found


def _say_old(one: _Judged, now: datetime) -> None:
    """What to do about a status that is old or can't be read."""
    if isinstance(one.status, UnreadableStatus):
        say("Note", f"{one.status.file} can't be read: {one.status.why}", "bold")
    elif not one.status.lives(now):
        say(
            "Note",
            f"The status of {one.shown} is {age(one.status.written, now)} old. Start the query, or delete "
            f"{one.status.file} if it never runs again.",
            "bold",
        )


def _nearest(cluster: str, statuses: list[AnyStatus]) -> tuple[str, ...]:
    """The known ids that are most like this one, the nearest first; some of them if none is like it."""
    known = sorted({name for one in statuses if isinstance(one, QueryStatus) for name in one.clusters or ()})
    return tuple(get_close_matches(cluster, known, _MOST) or known[:_MOST])


def _say_unknown(cluster: str, nearest: tuple[str, ...], read: int) -> None:
    known = f"The statuses list {', '.join(nearest)}." if nearest else "The statuses list no cluster."
    say(
        "Warning",
        f"{counted(read, 'status', 'statuses')} read: no query has or had a cluster {cluster}, or all have forgotten "
        f"it. Is the id right? {known}",
        "bold yellow",
    )


def _report(
    cluster: str,
    names: frozenset[str],
    nearest: tuple[str, ...],
    judged: list[_Judged],
    overall: Verdict,
    now: datetime,
) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "known": bool(names),
        "nearest": list(nearest),
        "statuses": len(judged),
        "sameKafkaCluster": sorted(names - {cluster}),
        "verdict": overall.value,
        "queries": [
            {
                "file": one.status.file,
                "query": one.shown,
                "verdict": one.verdict.value,
                "neededFor": {name: list(needs) for name, needs in one.needs.items()},
                "why": _why(one, names, now),
            }
            for one in judged
        ],
    }
