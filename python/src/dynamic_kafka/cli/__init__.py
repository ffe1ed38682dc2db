"""The command line: one file for each command, named like it. None of them changes anything.

Exit codes: 0 good, 1 found something to decide, 2 could not look.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

_MISSING = (
    "dynamic-kafka needs packages that are not installed ({name}). They are an extra, because a machine that only runs "
    "queries needs none of them:\n\n    pip install 'dynamic-kafka-spark[cli]'"
)


def main() -> None:
    """Runs the command that the arguments name, and ends the process."""
    try:
        from dynamic_kafka.cli import _app
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "dynamic_kafka":
            raise
        print(_MISSING.format(name=missing.name), file=sys.stderr)
        sys.exit(2)
    _app.run()
