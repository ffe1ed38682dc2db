"""The goals that a test shows with a clock moved by hand, because no benchmark waits for an hour."""

import re
from pathlib import Path

from bench.folders import ROOT
from bench.goals import Outcome

# The words that find its test by name.
COMES_BACK = "after an hour of silence"
_TEST = re.compile(r'\b(?:test|property)\(\s*"([^"]*)"')


def outcome(tests: Path = ROOT / "jvm" / "src" / "test") -> Outcome:
    """How soon a cluster is read once it answers again. Not met unless a test has this in its name."""
    text = f"from a cluster's first answer {COMES_BACK} to its first row, seconds (a scripted clock)"
    for path in sorted(tests.rglob("*Suite.scala")):
        for name in _TEST.findall(path.read_text()):
            if COMES_BACK in name:
                return Outcome(text, "<= 5", True, None, shown_by=f"{path.stem} :: {name}")
    return Outcome(text, "<= 5", None, None)
