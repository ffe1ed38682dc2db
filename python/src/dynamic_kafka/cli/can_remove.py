"""`dynamic-kafka released CLUSTER PATH`: whether a cluster may be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Annotated, Any

import typer
from rich.text import Text

from dynamic_kafka._redaction import printable
from dynamic_kafka._status import AnyStatus, QueryStatus, UnreadableStatus, Verdict, read_statuses, same_kafka, verdict
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, say, table_of
from dynamic_kafka.cli._status_texts import NEEDS, age, clipped, counted, plain
from dynamic_kafka.cli.status import PathArgument

ClusterArgument = Annotated[str, typer.Argument(metavar="CLUSTER", help="The id of the cluster, as in the metadata.")]
_CODES = {
    Verdict.RELEASED: ExitCode.GOOD,
    Verdict.NEEDED: ExitCode.FOUND,
    Verdict.UNKNOWN: ExitCode.COULD_NOT_LOOK,
}
# The worst first.
_ORDER = (Verdict.NEEDED, Verdict.UNKNOWN, Verdict.RELEASED)
_STYLES = {Verdict.RELEASED: "green", Verdict.NEEDED: "bold red", Verdict.UNKNOWN: "bold yellow"}


@dataclass(frozen=True, slots=True)
class _Judged:
    status: AnyStatus
    verdict: Verdict
    needs: Mapping[str, tuple[str, ...]]

    @property
    def shown(self) -> str:
        return self.status.shown if isinstance(self.status, QueryStatus) else self.status.file


def released(cluster: ClusterArgument, path: PathArgument, *, as_json: JsonOption = False) -> None:
    """Says whether a cluster may be switched off.

    It may if each query of the folder has drained it, or never had it. Exit code 1: a query needs it.
    Exit code 2: a query may need it, since an old status does not release it.
    """
    now = datetime.now(timezone.utc)
    statuses = read_statuses(path)
    names = same_kafka(cluster, statuses)
    judged = [_Judged(one, *verdict(one, names or {cluster}, now)) for one in statuses]
    judged.sort(key=lambda one: (_ORDER.index(one.verdict), one.shown))
    overall = min((one.verdict for one in judged), key=_ORDER.index)
    if as_json:
        print_json(_report(cluster, names, judged, overall, now), indent=2)
    else:
        _show(cluster, names, judged, overall, now)
        if not names:
            _warn_of_unknown(cluster, statuses)
    raise typer.Exit(_CODES[overall])


def _show(cluster: str, names: frozenset[str], judged: list[_Judged], overall: Verdict, now: datetime) -> None:
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
    words = {
        Verdict.RELEASED: f"No query needs {cluster}: it may be switched off.",
        Verdict.NEEDED: f"Do not switch off {cluster}.",
        Verdict.UNKNOWN: f"Nobody knows whether {cluster} is still needed.",
    }
    say(overall.value, words[overall], _STYLES[overall])


def _why(one: _Judged, names: frozenset[str], now: datetime) -> list[str]:
    if isinstance(one.status, UnreadableStatus):
        return ["its file can't be read"]
    if one.status.clusters is None:
        return [f"it had not looked at its clusters {age(one.status.written, now)} ago"]
    if one.verdict is Verdict.RELEASED:
        return ["drained" if names & set(one.status.clusters) else "never had it, or has forgotten it"]
    return [
        f"{name}: {text}" if len(names) > 1 else text
        for name, needs in one.needs.items()
        for text in [*(NEEDS.get(need, need) for need in needs), *_delays(one.status, name)]
    ]


def _delays(status: QueryStatus, name: str) -> list[str]:
    """What delays the release of a cluster, as far as the status says it."""
    found = []
    cluster = (status.clusters or {})[name]
    if set(cluster.needs) != {"listed"}:
        found += [clipped(plain(cluster.cause))] if cluster.cause else []
        found += [f"{counted(cluster.pending, 'record')} not read yet"] if cluster.pending else []
    if status.looked is not None and status.busy():
        found.append(f"the query has prepared no batch for {age(status.looked, status.written)}")
    return found


def _say_old(one: _Judged, now: datetime) -> None:
    """What helps where an old status, or none, is all that there is."""
    if isinstance(one.status, UnreadableStatus):
        say("Note", f"{one.status.file} can't be read: {one.status.why}", "bold")
    elif not one.status.lives(now):
        say(
            "Note",
            f"The status of {one.shown} is {age(one.status.written, now)} old. Start the query, or delete "
            f"{one.status.file} if it never runs again.",
            "bold",
        )


def _warn_of_unknown(cluster: str, statuses: list[AnyStatus]) -> None:
    known = sorted({name for one in statuses if isinstance(one, QueryStatus) for name in one.clusters or ()})
    say(
        "Warning",
        f"No query has or had a cluster {cluster}, or all have forgotten it. Is the id right? They know "
        f"{', '.join(known) or 'none'}.",
        "bold yellow",
    )


def _report(
    cluster: str, names: frozenset[str], judged: list[_Judged], overall: Verdict, now: datetime
) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "known": bool(names),
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
