"""`dynamic-kafka adopt OLD NEW`: a new checkpoint, in which all sources of an old query are one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from dynamic_kafka._dynamic_offset import dynamic_offsets
from dynamic_kafka.cli._ask import ask, listed_streams, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, say
from dynamic_kafka.cli.offsets import SourceOption, named_sources
from dynamic_kafka.errors import CheckpointError, InvalidOptionError
from dynamic_kafka.migrate import (
    Checkpoint,
    DynamicSource,
    KafkaSource,
    find_clusters,
    read_checkpoint,
)

# The operators whose state was tried, as Spark names them in a checkpoint.
TRIED = frozenset(
    {
        "dedupe",
        "dedupeWithinWatermark",
        "sessionWindowStateStoreSaveExec",
        "stateStoreSave",
    }
)
_KINDS: Mapping[type, str] = {KafkaSource: "Spark's own Kafka source", DynamicSource: "dynamic-kafka"}

OldArgument = Annotated[
    str, typer.Argument(metavar="OLD", help="The checkpointLocation of the stopped query. It is only read.")
]
NewArgument = Annotated[
    str, typer.Argument(metavar="NEW", help="Where the new checkpoint is written: a folder that does not exist.")
]
StreamsOption = Annotated[
    str | None, typer.Option(metavar="FILE", help="The new query's YAML file, which lists all topics of the old one.")
]
NameOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The name of the new query's source, if the old one's sources have names."),
]
BackOption = Annotated[bool, typer.Option("--back", help="From dynamic-kafka with one cluster to Spark's own source.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Writes nothing, and prints what would be written.")]


def adopt(
    old: OldArgument,
    new: NewArgument,
    streams: StreamsOption = None,
    source: SourceOption = None,
    name: NameOption = None,
    *,
    back: BackOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Writes a checkpoint that continues an old one's state.

    All sources of the old query, of Spark's own Kafka source, become one of dynamic-kafka. State, watermark, batch ids
    and the query's id stay. Stop the old query first.
    """
    if back == bool(streams):
        said = "--back needs no --streams." if back else "Name the new query's file with --streams."
        raise InvalidOptionError(said)
    checkpoint = read_checkpoint(old)
    for problem in problems(checkpoint, DynamicSource if back else KafkaSource):
        raise CheckpointError(f"{checkpoint.location}: {problem}")
    _require_name(checkpoint, name)
    file = streams_file(streams) if streams else {}
    clusters = find_clusters(checkpoint, listed_streams(file), named_sources(source or [])) if file else {}
    names = [one.name for one in checkpoint.sources]
    request: dict[str, Any] = {"old": old, "new": new, "batch": str(checkpoint.committed), "write": not dry_run}
    request |= {"sources": names, **({"name": name} if name else {})}
    if file:
        request |= {"streams": file, "clusters": [clusters[one] for one in names]}
    done = ask("adopt", request, doing="Copying", whole_spark=True)
    if not dry_run:
        _verify(checkpoint, read_checkpoint(new), clusters)
    report = _report(checkpoint, new, clusters, done, written=not dry_run)
    if as_json:
        print_json(report, indent=2)
    else:
        _say(report, back=back)
    raise typer.Exit(ExitCode.GOOD)


def _require_name(old: Checkpoint, name: str | None) -> None:
    if bool(name) != any(not one.name.isdecimal() for one in old.sources):
        said = (
            "no names: --name does not apply" if name else "names: name the new one with --name, as the new query does"
        )
        raise InvalidOptionError(f"The sources of {old.location} have {said}.")


def _report(
    old: Checkpoint, new: str, clusters: Mapping[str, str], done: Mapping[str, Any], *, written: bool
) -> dict[str, Any]:
    return {
        "old": old.location,
        "new": new,
        "written": written,
        "committedBatch": old.committed,
        "clusters": dict(clusters),
        "operators": list(old.operators),
        **done,
        "offset": json.loads(done["offset"]),
    }


def problems(checkpoint: Checkpoint, wanted: type) -> Iterator[str]:
    """Why it can't be adopted as it is. `wanted` is what all its sources must be."""
    if checkpoint.committed is None:
        yield "no batch is committed. Run the old query until one is."
    if checkpoint.logged:
        yield (
            f"batch {checkpoint.logged[-1]} was logged and not committed, so a sink may have a part of it. Run the old "
            "query once more with trigger(availableNow=True)."
        )
    if checkpoint.gaps:
        yield (
            "some batches were not logged, as with asyncProgressTrackingEnabled, so the sink may have more than the "
            "checkpoint says. Run the old query once without it."
        )
    if checkpoint.control:
        yield f"its last batch is a control batch ({checkpoint.control}). Run the old query for one more batch."
    for one in checkpoint.sources:
        if not isinstance(one, wanted):
            found = _KINDS.get(type(one), "no Kafka source")
            yield f"source {one.name} is {found}. Only {_KINDS[wanted]} can be adopted."
    untried = sorted(set(checkpoint.operators) - TRIED)
    if untried:
        yield f"the state of {', '.join(untried)} was not tried."


def _verify(old: Checkpoint, new: Checkpoint, clusters: Mapping[str, str]) -> None:
    """Raises `CheckpointError` if the new checkpoint, read again, has other positions than the old one."""
    wanted = _positions(old, clusters)
    # On the way back the only source has the only cluster.
    found = _positions(new, {one.name: next(iter(wanted)) for one in new.sources})
    if (new.committed, new.operators, new.watermark_ms, found) != (
        old.committed,
        old.operators,
        old.watermark_ms,
        wanted,
    ):
        raise CheckpointError(
            f"{new.location} was read again, and does not say the same as {old.location}. Delete it. This is a bug."
        )


def _positions(checkpoint: Checkpoint, clusters: Mapping[str, str]) -> dict[str, dict[str, dict[int, int]]]:
    """By cluster, topic and partition."""
    found: dict[str, dict[str, dict[int, int]]] = {}
    ours = dynamic_offsets(checkpoint)
    for one in checkpoint.sources:
        if isinstance(one, KafkaSource):
            here = {topic: dict(at) for topic, at in one.positions.items()}
            found[clusters[one.name]] = found.get(clusters[one.name], {}) | here
        elif isinstance(one, DynamicSource):
            for cluster, topics in ours[one.name].listed.items():
                found[cluster] = {topic: dict(at) for topic, at in topics.items()}
    return found


def _say(report: Mapping[str, Any], *, back: bool) -> None:
    what = "Would be written" if not report["written"] else "Written"
    operators = ", ".join(report["operators"])
    state = f" and {report['files']} files of state ({report['bytes'] / 1e6:,.1f} MB; {operators})" if operators else ""
    say(what, f"{report['new']}, after batch {report['committedBatch']}{state}.", "bold")
    for name, cluster in report["clusters"].items():
        say(f"Source {name}", f"cluster {cluster}", "bold")
    if report["written"]:
        name = "Spark's own source" if back else "one source of dynamic-kafka"
        say(
            "Next",
            f"start the new query, with {name} and this checkpointLocation. Never start the old one again.",
            "bold",
        )
    print_json(report["offset"])
