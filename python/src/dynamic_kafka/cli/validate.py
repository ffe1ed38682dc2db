"""`dynamic-kafka validate FILE`: all that is wrong with a streams file, and on request with its clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from dynamic_kafka._redaction import printable
from dynamic_kafka.cli._ask import ask, streams_file
from dynamic_kafka.cli._output import ExitCode, JsonOption, print_json, result, safe, table_of
from dynamic_kafka.cli._query import TIMEOUT, ConnectOption, OptionOption, TimeoutOption, query
from dynamic_kafka.cli._status_texts import counted

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The streams file; - for stdin, or a URL of Hadoop's.")
]
_NO = Text("no", "bold red")
_YES = Text("yes")
_UNKNOWN = Text("-")


def validate(
    file: FileArgument,
    option: OptionOption = None,
    timeout: TimeoutOption = TIMEOUT,
    *,
    connect: ConnectOption = False,
    as_json: JsonOption = False,
) -> None:
    """Shows all that is wrong with a streams file.

    All problems at once, each with its line. With --connect it asks each cluster as a query would: brokers,
    credentials, topics, and permissions.
    """
    request = {"file": streams_file(file), "connect": connect, **query(option, timeout)}
    found = ask("validate", request, file)
    if as_json:
        print_json(found, indent=2)
    else:
        _show(found, connect=connect)
    sick = any(cluster["problems"] for cluster in found.get("clusters", ()))
    raise typer.Exit(ExitCode.FOUND if found["problems"] or sick else ExitCode.GOOD)


def _show(found: Mapping[str, Any], *, connect: bool) -> None:
    out, file = result(), printable(found["file"])
    for label, style, entries in (
        ("problem", "bold red", found["problems"]),
        ("warning", "bold yellow", found["warnings"]),
    ):
        for entry in entries:
            line = f"line {entry['line']}: " if "line" in entry else ""
            out.print(Text.assemble(f"{file}, {line}" if line else f"{file}: ", (label, style)))
            _indented(Text.assemble((printable(_place(entry)), "bold"), printable(entry["text"], keep="\n")))
    clusters = found.get("clusters", ())
    if clusters:
        _show_clusters(clusters)
    elif connect:
        out.print("The clusters were not asked, because the file can't be used.")
    out.print(_summary(found))


def _indented(text: Text) -> None:
    """A paragraph below its heading. In a pipe no line is broken."""
    out = result()
    if out.is_terminal:
        out.print(Padding(text, (0, 0, 0, 2)))
    else:
        out.print(Text("  ").append_text(text), soft_wrap=True)


def _place(entry: Mapping[str, Any]) -> str:
    parts = [f"{kind} {entry[kind]}" for kind in ("stream", "cluster", "field") if kind in entry]
    # The text of some problems begins with its place.
    return "" if not parts or entry["text"].startswith(("cluster ", "clusters ")) else f"{', '.join(parts)}: "


def _show_clusters(clusters: list[Mapping[str, Any]]) -> None:
    table = table_of("Cluster", "Answers", "Login", "Topics", "Missing", "Denied", "Partitions")
    for cluster in clusters:
        table.add_row(
            safe(cluster["cluster"]),
            _answer(cluster["brokers"]),
            _answer(cluster.get("credentials")),
            str(cluster["topics"]),
            _many(cluster, len(cluster["missingTopics"])),
            _many(cluster, len({one["topic"] for one in cluster["missingPermissions"]})),
            str(cluster["partitions"]) if "kafkaId" in cluster else _UNKNOWN,
        )
    out = result()
    out.print(table)
    for cluster in clusters:
        for problem in cluster["problems"]:
            out.print(Text(problem["condition"], "bold red"))
            _indented(Text(printable(problem["text"], keep="\n")))


def _answer(good: bool | None) -> Text:
    return _UNKNOWN if good is None else _YES if good else _NO


def _many(cluster: Mapping[str, Any], number: int) -> Text:
    if "kafkaId" not in cluster:
        return _UNKNOWN
    return Text(str(number), "bold red" if number else "")


def _summary(found: Mapping[str, Any]) -> Text:
    problems = len(found["problems"])
    sick = sum(bool(cluster["problems"]) for cluster in found.get("clusters", ()))
    warnings = f", {counted(len(found['warnings']), 'warning')}" if found["warnings"] else ""
    if problems:
        return safe(f"{found['file']}: {counted(problems, 'problem')}{warnings}.", "bold red")
    size = f"{counted(found['streams'], 'stream')} on {counted(found['listed'], 'cluster')}"
    if sick:
        return safe(f"{found['file']}: {size}; {counted(sick, 'cluster')} with problems{warnings}.", "bold red")
    asked = ", all clusters answer" if "clusters" in found else ""
    return safe(f"{found['file']}: good, {size}{asked}{warnings}.", "bold green")
