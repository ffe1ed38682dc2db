"""`dynamic-kafka offsets CHECKPOINT`: where a new query continues, from the checkpoint of an old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Annotated, Any

import typer

from dynamic_kafka._dynamic_offset import dynamic_offsets
from dynamic_kafka._move_findings import UNNAMED
from dynamic_kafka.cli._ask import listed_streams, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, safe, say, table_of, words
from dynamic_kafka.errors import InvalidOptionError
from dynamic_kafka.migrate import (
    Checkpoint,
    DynamicSource,
    KafkaSource,
    Move,
    find_clusters,
    plan_move,
    read_checkpoint,
    spark_starting_offsets,
)

# The most partitions of a topic that are shown; the JSON has all.
SHOWN = 8


class LoggedBatch(str, Enum):
    """What becomes of a batch that was logged and not committed."""

    AGAIN = "again"
    DONE = "done"


CheckpointArgument = Annotated[
    str,
    typer.Argument(
        metavar="CHECKPOINT",
        help="The old query's checkpointLocation: a local folder, or a URL that fsspec reads.",
    ),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(help="NUMBER=CLUSTER or NAME=CLUSTER: which cluster a source of Spark's reads, counted from 0."),
]
StreamsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The new query's YAML file: names its clusters, and finds those of sources by their topics.",
    ),
]
LeaveOutOption = Annotated[list[str] | None, typer.Option(help="NUMBER or NAME of a source that does not move.")]
LoggedBatchOption = Annotated[
    LoggedBatch, typer.Option(help="A batch that was logged and not committed: read it again, or take it for done.")
]
ForSparkOption = Annotated[
    str | None,
    typer.Option(
        metavar="CLUSTER", help="Prints startingOffsets for Spark's own source on this cluster: the way back."
    ),
]


def offsets(
    checkpoint: CheckpointArgument,
    source: SourceOption = None,
    streams: StreamsOption = None,
    leave_out: LeaveOutOption = None,
    logged_batch: LoggedBatchOption = LoggedBatch.AGAIN,
    for_spark: ForSparkOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Prints where a new query continues an old one.

    That is its startingOffsets, right after what the old one has committed. Reads checkpoints of Spark's own Kafka
    source (one, a union, or named ones) and of this source. Stop the old query first.
    """
    found = read_checkpoint(checkpoint).without(*(leave_out or ()))
    if logged_batch is LoggedBatch.DONE:
        found = found.with_logged_done()
    named = named_sources(source or [])
    listed = listed_streams(streams_file(streams)) if streams else []
    clusters = find_clusters(found, listed, named)
    move = plan_move(found, clusters, listed={cluster for stream in listed for cluster in stream.clusters})
    back = spark_starting_offsets(found, for_spark, clusters) if for_spark else None
    if back is not None:
        move = _without_notes_of_this_source(move)
    if as_json:
        print_json(_report(found, clusters, move, back), indent=2)
    else:
        _show(found, clusters, named, move)
        if back is not None:
            _say_way_back(back)
        print_json(dict(move.starting_offsets) if back is None else back)
    raise typer.Exit(ExitCode.FOUND if move.findings else ExitCode.GOOD)


def _without_notes_of_this_source(move: Move) -> Move:
    """Spark's own source has one cluster, and refuses offsets that lack a partition."""
    kept = tuple(note for note in move.notes if note != UNNAMED)
    return replace(move, notes=kept)


def named_sources(pairs: Sequence[str]) -> dict[str, str]:
    """The clusters that --source names, by source."""
    named: dict[str, str] = {}
    for pair in pairs:
        name, equals, cluster = pair.partition("=")
        if not (name and equals and cluster):
            raise InvalidOptionError(f"--source {pair} is not NUMBER=CLUSTER, such as 0=eu-1.")
        if named.setdefault(name, cluster) != cluster:
            raise InvalidOptionError(f"Source {name} is said to be {named[name]!r} and {cluster!r}.")
    return named


def _show(checkpoint: Checkpoint, clusters: Mapping[str, str], named: Mapping[str, str], move: Move) -> None:
    batch = "before the first batch" if checkpoint.committed is None else f"after batch {checkpoint.committed}"
    table = table_of("Source", "Cluster", "Known", "Topic", "Next offset by partition")
    table.title = safe(f"{checkpoint.location}, {batch}")
    for row in _rows(checkpoint, clusters, named):
        table.add_row(*(safe(cell) for cell in row))
    words().print(table)
    for finding in move.findings:
        say(f"To decide ({finding.kind.value})", finding.text, "bold yellow")
    for note in move.notes:
        say("Note", note, "bold")


def _rows(checkpoint: Checkpoint, clusters: Mapping[str, str], named: Mapping[str, str]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    ours = dynamic_offsets(checkpoint)
    for source in checkpoint.sources:
        if isinstance(source, KafkaSource):
            known = "as named" if source.name in named else "by its topics"
            where = (source.name, clusters[source.name], known)
            rows += [(*where, topic, positions_text(at)) for topic, at in source.positions.items()]
            rows += [] if source.positions else [(*where, "none yet", "earliest")]
        elif isinstance(source, DynamicSource):
            for cluster, topics in ours[source.name].listed.items():
                rows += [(source.name, cluster, "by its id", topic, positions_text(at)) for topic, at in topics.items()]
        else:
            rows.append((source.name, "-", "-", f"not Kafka: {source.provider}", "-"))
    return rows


def positions_text(at: Mapping[int, int]) -> str:
    pairs = [f"{partition}: {offset}" for partition, offset in sorted(at.items())]
    more = [f"… {len(pairs) - SHOWN} more"] if len(pairs) > SHOWN else []
    return ", ".join(pairs[:SHOWN] + more)


def _say_way_back(back: Mapping[str, Any]) -> None:
    say(
        "For Spark's own source",
        f"subscribe {','.join(back)}, with the line below as startingOffsets. It needs every partition of these "
        "topics: add those that were created since, with -2.",
        "bold",
    )


def _report(
    checkpoint: Checkpoint, clusters: Mapping[str, str], move: Move, back: Mapping[str, Any] | None
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "checkpoint": checkpoint.location,
        "committedBatch": checkpoint.committed,
        "loggedBatches": list(checkpoint.logged),
        "clusters": dict(clusters),
        "findings": [{"kind": finding.kind.value, "text": finding.text} for finding in move.findings],
        "notes": list(move.notes),
        "startingOffsets": dict(move.starting_offsets),
    }
    return report if back is None else {**report, "forSpark": back}
