"""The goals that a test shows, with a clock that is moved by hand, since no benchmark waits for an hour."""

import re
from pathlib import Path

from bench.folders import ROOT
from bench.goals import Outcome

# The words by which the name of its test is found.
COMES_BACK = "after an hour of silence"
_TEST = re.compile(r'\b(?:test|property)\(\s*"([^"]*)"')


def outcome(tests: Path = ROOT / "jvm" / "src" / "test") -> Outcome:
    """How soon a cluster is read that answers again; not met without a test whose name says so."""
    text = f"from a cluster's first answer {COMES_BACK} to its first row, seconds (a scripted clock)"
    for path in sorted(tests.rglob("*Suite.scala")):
        for name in _TEST.findall(path.read_text()):
            if COMES_BACK in name:
                return Outcome(text, "<= 5", True, None, shown_by=f"{path.stem} :: {name}")
    return Outcome(text, "<= 5", None, None)
