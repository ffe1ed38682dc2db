"""`dynamic-kafka mirror TARGET`: where a new query begins on a mirror that MirrorMaker 2 makes, by its checkpoints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from dynamic_kafka._move_findings import UNNAMED
from dynamic_kafka._offsets import OTHER_CLUSTERS
from dynamic_kafka.cli._ask import ask, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, safe, say, table_of, words
from dynamic_kafka.cli._query import TIMEOUT, OptionOption, TimeoutOption, query
from dynamic_kafka.cli._status_texts import counted
from dynamic_kafka.cli.offsets import positions_text
from dynamic_kafka.errors import InvalidMetadataError
from dynamic_kafka.migrate import OTHERS

# By topic and partition: the next offset to read.
_Next = Mapping[str, Mapping[int, int]]

TargetArgument = Annotated[str, typer.Argument(metavar="TARGET", help="The mirror: the id of its cluster in the file.")]
StreamsOption = Annotated[
    str, typer.Option(metavar="FILE", help="The streams file of the new query, with the topics of the mirror.")
]
AliasOption = Annotated[
    str, typer.Option(metavar="ALIAS", help="What MirrorMaker 2's `clusters` calls the source of the mirror.")
]
GroupOption = Annotated[str, typer.Option(metavar="GROUP", help="The consumer group that has committed on the source.")]
CheckpointsOption = Annotated[
    str | None,
    typer.Option(metavar="TOPIC", help="MirrorMaker 2's checkpoints, if not in ALIAS.checkpoints.internal."),
]
# The most names in a text; the JSON has all.
_SHOWN = 5
_REPEATS = (
    "MirrorMaker 2 rounds offsets down, and writes a checkpoint every emit.checkpoints.interval.seconds (60). What the "
    "group had read beyond them comes again; with offset.lag.max=0 at MirrorMaker 2 it is less. Nothing is left out."
)


def mirror(
    target: TargetArgument,
    streams: StreamsOption,
    source_alias: AliasOption,
    group: GroupOption,
    checkpoints: CheckpointsOption = None,
    option: OptionOption = None,
    timeout: TimeoutOption = TIMEOUT,
    *,
    as_json: JsonOption = False,
) -> None:
    """Prints where a new query begins on a mirror.

    That is its startingOffsets on a mirror that MirrorMaker 2 makes, where a consumer group stood on the source. They
    come from the checkpoints on the mirror, so the source may be dead. They are lower bounds: records may repeat.
    """
    topic = checkpoints or f"{source_alias}.checkpoints.internal"
    named = {"target": target, "alias": source_alias, "group": group, "checkpoints": topic}
    found = ask("mirror", {"file": streams_file(streams), **named, **query(option, timeout)}, streams)
    at = _next_offsets(found)
    listed = {one["topic"]: at[one["topic"]] for one in found["listed"] if one["topic"] in at}
    if not listed:
        raise InvalidMetadataError(
            f"{streams} lists no topic for cluster {target!r} that group {group!r} has a checkpoint of. It lists "
            f"{_names([one['topic'] for one in found['listed']])}; the group has those of {_names(sorted(at))}. List "
            "the topics as they are called on the mirror."
        )
    report = _report(named, found, listed, at)
    if as_json:
        print_json(report, indent=2)
    else:
        _show(report, listed)
    raise typer.Exit(ExitCode.FOUND if report["findings"] else ExitCode.GOOD)


def _report(named: Mapping[str, str], found: Mapping[str, Any], listed: _Next, at: _Next) -> dict[str, Any]:
    target, alias = named["target"], named["alias"]
    notes = [_assumed(target, alias, sorted(at))]
    left_out = sorted(set(at) - set(listed))
    if left_out:
        notes.append(f"The file does not list {_names(left_out)}, of which the group has checkpoints, too.")
    return {
        "target": target,
        "sourceAlias": alias,
        "group": named["group"],
        "checkpointsTopic": named["checkpoints"],
        "policy": "default" if any(_copied(name, alias) for name in at) else "identity",
        "mayRepeat": True,
        "checkpoints": found["checkpoints"],
        "findings": list(_findings(found["listed"], listed)),
        "notes": [*notes, UNNAMED],
        "startingOffsets": {OTHER_CLUSTERS: "earliest", target: _rule(listed)},
    }


def _next_offsets(found: Mapping[str, Any]) -> _Next:
    topics: dict[str, dict[int, int]] = defaultdict(dict)
    for one in found["checkpoints"]:
        topics[one["topic"]][one["partition"]] = one["offset"]
    return topics


def _rule(at: _Next) -> dict[str, Any]:
    topics = {
        topic: {OTHERS: "earliest", **{str(partition): offset for partition, offset in sorted(offsets.items())}}
        for topic, offsets in sorted(at.items())
    }
    return {OTHERS: "earliest", **topics}


def _copied(topic: str, alias: str) -> bool:
    """Whether it has a name that MirrorMaker 2's default policy gives to a copy."""
    return topic.startswith(f"{alias}.")


def _findings(there: Sequence[Mapping[str, Any]], at: _Next) -> Iterator[str]:
    for one in there:
        if "problem" in one:
            yield f"[{one['problem']['condition']}] {one['problem']['text']}"
        known = at.get(one["topic"], {})
        sizes = {int(number): size for number, size in one.get("records", {}).items()}
        left = {number: size for number, size in sizes.items() if size and number not in known}
        if left:
            yield (
                f"{one['topic']} has no checkpoint of the group for partition {_names([*map(str, sorted(left))])}. All "
                f"{counted(sum(left.values()), 'offset')} there are read. If the group had read them, they come again."
            )


def _assumed(target: str, alias: str, topics: Sequence[str]) -> str:
    copies = [topic for topic in topics if _copied(topic, alias)]
    if not copies:
        return f"Assumed: topics have the same names on {target} as on {alias} (IdentityReplicationPolicy)."
    first = copies[0].removeprefix(f"{alias}.")
    own = sorted(set(topics) - set(copies))
    rest = f" Without that prefix, so taken for topics of {target} itself: {_names(own)}." if own else ""
    return (
        f"Assumed: names of copies on {target} begin with the alias, as by MirrorMaker 2's default policy. So "
        f"{copies[0]} is {first} of {alias}.{rest}"
    )


def _names(topics: Sequence[str]) -> str:
    shown = ", ".join(topics[:_SHOWN]) or "none"
    return f"{shown} and {len(topics) - _SHOWN} more" if len(topics) > _SHOWN else shown


def _show(report: Mapping[str, Any], at: _Next) -> None:
    table = table_of("Topic", "Next offset by partition", "As of")
    table.title = safe(f"Group {report['group']} of {report['sourceAlias']}, on {report['target']}")
    for topic, offsets in sorted(at.items()):
        times = [one["at"] for one in report["checkpoints"] if one["topic"] == topic]
        table.add_row(safe(topic), safe(positions_text(offsets)), safe(max(times)))
    words().print(table)
    say("May repeat", _REPEATS, "bold yellow")
    for text in report["findings"]:
        say("To decide", text, "bold yellow")
    for text in report["notes"]:
        say("Note", text, "bold")
    print_json(report["startingOffsets"])
