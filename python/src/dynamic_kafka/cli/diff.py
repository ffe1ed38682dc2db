"""`dynamic-kafka diff OLD NEW`: what a query does about a change of its streams file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from dynamic_kafka.cli import _diff_texts as texts
from dynamic_kafka.cli._ask import ask, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, say, table_of
from dynamic_kafka.cli._query import ConnectOption, OptionOption, pairs
from dynamic_kafka.errors import CheckpointError, InvalidOptionError
from dynamic_kafka.migrate import DynamicSource, read_checkpoint

OldArgument = Annotated[str, typer.Argument(metavar="OLD", help="The streams file that the query has now.")]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="The streams file that it will have; - for stdin.")]
CheckpointOption = Annotated[
    str | None,
    typer.Option(
        help="The query's checkpointLocation: decides from its positions, and counts them. If it has several sources, "
        "the folder of one: CHECKPOINT/sources/NUMBER."
    ),
]
# A checkpoint has a folder for each of its sources.
_OF_SOURCE = re.compile(r"(.*)/sources/([^/]+)/?")
MarkdownOption = Annotated[bool, typer.Option("--markdown", help="Prints Markdown, for a pull request.")]
FailOnOption = Annotated[
    texts.FailOn,
    typer.Option(
        help="What counts as found: any move of data; removals and mistakes; or mistakes alone: a likely typo, a "
        "removal with a backlog, a duplicate, a query that would fail."
    ),
]
_ALARMING = ("drains", "stops", "is forgotten", "is held")


def diff(
    old: OldArgument,
    new: NewArgument,
    checkpoint: CheckpointOption = None,
    option: OptionOption = None,
    *,
    connect: ConnectOption = False,
    fail_on: FailOnOption = texts.FailOn.ANY,
    markdown: MarkdownOption = False,
    as_json: JsonOption = False,
) -> None:
    """Shows what a query does about a new streams file.

    What starts where, drains, stands by, takes over or pauses when NEW replaces OLD. The source's own code decides
    it. Exit code 1: something changes that moves data (--fail-on says what counts). Exit code 2: something that may
    count could not be looked up. The query reads all streams of OLD, unless you name others: -o streamIds=orders,
    or -o streamPattern=orders-.*. With --connect clusters are asked, and records are counted.
    """
    if markdown and as_json:
        raise InvalidOptionError("--markdown and --json exclude each other.")
    request = {"old": streams_file(old), "new": streams_file(new), "connect": connect, "options": pairs(option)}
    seen = ask("diff", {**request, **_held(checkpoint)}, old, new)
    found = {**seen, "connect": connect}
    unseen = list(texts.unseen(found, fail_on))
    finding = texts.finding(found, fail_on)
    if as_json:
        print_json({**found, "found": finding, "unseen": unseen}, indent=2)
    elif markdown:
        print(texts.markdown(found))
    else:
        _show(found)
    if not as_json:
        for text in unseen:
            say("Not known", text, "bold yellow")
    raise typer.Exit(ExitCode.FOUND if finding else ExitCode.COULD_NOT_LOOK if unseen else ExitCode.GOOD)


def _held(location: str | None) -> dict[str, str]:
    """What a query has reached: its newest logged offset, from which it continues."""
    if location is None:
        return {}
    one = _OF_SOURCE.fullmatch(location)
    found = read_checkpoint(one[1] if one else location)
    ours = [it for it in found.sources if isinstance(it, DynamicSource) and (one is None or it.name == one[2])]
    if not ours:
        raise CheckpointError(
            f"{location}: there is no source of this kind. See `offsets` to move over from Spark's own."
        )
    if len(ours) > 1:
        folders = ", ".join(f"{found.location}/sources/{it.name}" for it in ours)
        raise InvalidOptionError(f"The checkpoint has several sources. Name the folder of one: {folders}.")
    return ours[0].newest.request()


def _show(found: Mapping[str, Any]) -> None:
    out = result()
    out.print(safe(texts.headline(found)), soft_wrap=not out.is_terminal)
    for text in texts.alarms(found):
        say("Look twice", text, "bold red", out)
    if found["effects"]:
        out.print(_table(found))
    for one in found["clusters"]:
        out.print(safe(f"Cluster {one['cluster']} {one['text']}."), soft_wrap=not out.is_terminal)
    for text in texts.remarks(found):
        out.print(safe(text), soft_wrap=not out.is_terminal)
    out.print(Text(texts.summary(found), "bold" if texts.finding(found, texts.FailOn.ANY) else "bold green"))


def _table(found: Mapping[str, Any]) -> Table:
    effects: Sequence[Mapping[str, Any]] = found["effects"]
    # The heading names one stream, too.
    alone = {one["stream"] for one in effects} == set(found["query"].get("streamIds", ()))
    fields = ("cluster", "topic") if alone else ("cluster", "topic", "stream")
    table = table_of("Effect", *(field.capitalize() for field in fields), "How")
    above = None
    for one in effects:
        # The same text for many clusters is printed once.
        how = (one["effect"], texts.how(one))
        style = "bold red" if one["effect"] in _ALARMING else "" if one["moves"] else "dim"
        names = (safe(one[field]) for field in fields)
        table.add_row(Text(one["effect"], style), *names, Text('"') if how == above else safe(how[1]))
        above = how
    return table
