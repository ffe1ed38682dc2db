"""All commands, and the handling of their failures."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

from dynamic_kafka._jar import DISTRIBUTION, version
from dynamic_kafka.cli import adopt, can_remove, diff, explain, lag, mirror, offsets, status, validate
from dynamic_kafka.cli._output import ExitCode, fail
from dynamic_kafka.errors import DynamicKafkaError

app = typer.Typer(
    name="dynamic-kafka",
    help="Looks at queries of dynamic-kafka-spark, and changes nothing; `adopt` writes a new checkpoint. Exit codes: 0 "
    "good, 1 found something to decide, 2 could not look.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(name="can-remove")(can_remove.can_remove)
app.command(name="validate")(validate.validate)
app.command(name="diff")(diff.diff)
app.command(name="lag")(lag.lag)
app.command(name="offsets")(offsets.offsets)
app.command(name="adopt")(adopt.adopt)
app.command(name="mirror")(mirror.mirror)
app.command(name="status")(status.status)
app.command(name="explain")(explain.explain)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"{DISTRIBUTION} {version()}")
        raise typer.Exit


@app.callback()
def _before_commands(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Prints the version, and ends.")
    ] = False,
) -> None:
    """Takes the options that stand before a command."""


def run() -> None:
    """As a process. A failure exits with 2, never with the 1 of Python itself."""
    try:
        app()
    except DynamicKafkaError as failure:
        sys.exit(fail(failure, as_json="--json" in sys.argv))
    except Exception:
        traceback.print_exc()
        sys.exit(ExitCode.COULD_NOT_LOOK)
