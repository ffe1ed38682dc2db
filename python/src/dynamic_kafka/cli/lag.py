"""`dynamic-kafka lag CHECKPOINT --streams FILE`: how far a query is behind, by topic, in records and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from dynamic_kafka._durations import rough
from dynamic_kafka.cli._ask import ask, listed_streams, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, say, table_of
from dynamic_kafka.cli._query import TIMEOUT, OptionOption, TimeoutOption, query
from dynamic_kafka.cli._status_texts import counted
from dynamic_kafka.cli.offsets import SourceOption, named_sources
from dynamic_kafka.errors import CheckpointError
from dynamic_kafka.migrate import Checkpoint, DynamicSource, KafkaSource, find_clusters, read_checkpoint

CheckpointArgument = Annotated[
    str,
    typer.Argument(
        metavar="CHECKPOINT", help="The query's checkpointLocation: a local folder, or a URL that fsspec reads."
    ),
]
StreamsOption = Annotated[
    str, typer.Option(metavar="FILE", help="The streams file, with the addresses: a checkpoint has none.")
]
_NOTHING_READ = (
    "Up to this batch the query has read no topic that the file lists. Are their names right? "
    "`dynamic-kafka validate FILE --connect` says which of them exist."
)

MostRecordsOption = Annotated[int | None, typer.Option(help="Exit code 1 if a topic has more records to read.")]


def lag(
    checkpoint: CheckpointArgument,
    streams: StreamsOption,
    source: SourceOption = None,
    option: OptionOption = None,
    timeout: TimeoutOption = TIMEOUT,
    max_records: MostRecordsOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Shows how far a query is behind.

    By cluster and topic, in records and time, as of its newest committed batch. Reads checkpoints of this source
    and of Spark's own Kafka source. The query may run. For the time lag, a few records are
    fetched of each partition that is behind.
    """
    found = read_checkpoint(checkpoint)
    file = streams_file(streams)
    seen = ask("lag", {"file": file, "sources": _reads(found, file, source or []), **query(option, timeout)}, streams)
    rows = seen["rows"]
    notices: list[str] = seen["notices"] or ([] if rows else [_NOTHING_READ])
    report = {"checkpoint": found.location, "committedBatch": found.committed, "at": seen["at"], "notices": notices}
    report["rows"] = rows
    if as_json:
        print_json(report, indent=2)
    else:
        _show(found, rows, notices)
    raise typer.Exit(_exit_code(rows, max_records))


def _reads(checkpoint: Checkpoint, file: Mapping[str, str], named: Sequence[str]) -> list[dict[str, Any]]:
    """The positions of each source that reads Kafka, for a request."""
    listed = listed_streams(file) if any(isinstance(it, KafkaSource) for it in checkpoint.sources) else []
    clusters = find_clusters(checkpoint, listed, named_sources(named))
    reads: list[dict[str, Any]] = []
    for source in checkpoint.sources:
        if isinstance(source, DynamicSource):
            reads.append({"name": source.name, **source.committed.request()})
        elif isinstance(source, KafkaSource) and clusters:
            reads.append({"name": source.name, "cluster": clusters[source.name], "positions": _plain(source)})
    if not reads:
        raise CheckpointError(f"{checkpoint.location}: none of its sources reads Kafka.")
    return reads


def _plain(source: KafkaSource) -> dict[str, dict[str, int]]:
    return {topic: {str(number): at for number, at in ats.items()} for topic, ats in source.positions.items()}


def _exit_code(rows: Sequence[Mapping[str, Any]], most: int | None) -> ExitCode:
    """If no cluster has answered, nothing could be looked up."""
    if rows and not any("records" in row for row in rows):
        return ExitCode.COULD_NOT_LOOK
    behind = most is not None and any(row.get("records", 0) > most for row in rows)
    return ExitCode.FOUND if behind or any(row["problems"] or row["lost"] for row in rows) else ExitCode.GOOD


def _show(checkpoint: Checkpoint, rows: Sequence[Mapping[str, Any]], notices: Sequence[str]) -> None:
    out = result()
    batch = "no batch is committed" if checkpoint.committed is None else f"read up to batch {checkpoint.committed}"
    out.print(safe(f"{checkpoint.location}: {batch}"), soft_wrap=not out.is_terminal)
    numbers = ("Partitions", "Records", "Time")
    table = table_of("Cluster", "Topic", "State", *numbers, right=numbers)
    for row in rows:
        table.add_row(
            safe(row["cluster"]),
            safe(row["topic"]),
            Text(row["state"], "bold red" if row["problems"] else ""),
            f"{len(row['partitions']):,}",
            f"{row['records']:,}" if "records" in row else "?",
            _duration(row),
        )
    if rows:
        out.print(table)
    for text, names in _causes(rows).items():
        say(", ".join(names), text, "bold red", out)
    for text in notices:
        say("Look twice", text, "bold yellow", out)
    records = sum(row.get("records", 0) for row in rows)
    unknown = sum("records" not in row for row in rows)
    if unknown and unknown == len(rows):
        out.print(Text(f"It is not known how much there is to read of {counted(unknown, 'topic')}.", "bold"))
    else:
        more = f"; of {counted(unknown, 'topic')} it is not known" if unknown else ""
        out.print(Text(f"{counted(records, 'record')} to read{more}.", "bold"))


def _causes(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Each cause once, with the topics that it concerns."""
    found: dict[str, list[str]] = {}
    for row in rows:
        where = f"{row['topic']} on {row['cluster']}"
        for problem in row["problems"]:
            found.setdefault(f"[{problem['condition']}] {problem['text']}", []).append(where)
        if row["heldBack"]:
            text = f"An open transaction holds back {counted(row['heldBack'], 'record')}. A drain ends only after it."
            found.setdefault(text, []).append(where)
        if row["lost"]:
            found.setdefault(f"{counted(row['lost'], 'record')} aged out before they were read.", []).append(where)
    return {text: [*names[:3], f"{len(names) - 3} more"] if len(names) > 4 else names for text, names in found.items()}


def _duration(row: Mapping[str, Any]) -> str:
    if "timeLagMs" not in row:
        return "0 s" if row.get("records") == 0 else "?"
    return rough(row["timeLagMs"] / 1000)
