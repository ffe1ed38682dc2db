"""Runs the parts of the tests and ends with the slowest of them and one line of counts and times.

``run_tests.py PART... [-- ARGUMENT...]``, a part being ``scala``, ``python``, ``e2e`` or ``slow``; the scenarios of
the last two come last. Arguments go to pytest; for ``scala`` they are patterns of suites. All parts run, also after
one that failed. The exit code is 1 if any did, or if one passed no test at all; and under ``CI=true`` if a test was
skipped.
"""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

ROOT = Path(__file__).resolve().parents[1]
# Where each part leaves its reports; sbt has a place of its own.
REPORTS = {
    "scala": ROOT / "jvm" / "target" / "test-reports",
    "python": ROOT / "build" / "test-reports" / "python",
    "e2e": ROOT / "build" / "test-reports" / "e2e",
    "slow": ROOT / "build" / "test-reports" / "slow",
}
# The whole of the scenarios is run by several processes, each with a Spark and brokers of its own, because a scenario
# waits more than it computes. The tests of a file share what is slow to start. Files come in the order of their names:
# none takes longer than a sixth of the run.
SHARED = ("--numprocesses=4", "--dist=loadfile", "--no-loadscope-reorder")
# The tests of the Python package start programs and wait for them.
PAIRED = ("--numprocesses=2", "--dist=loadfile")
# For what runs beside another part.
BESIDE = ("nice", "-n", "10")
# How many of the slowest tests are named at the end.
SHOWN = 25


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one part went; ``seconds`` by the clock on the wall."""

    part: str
    passed: int
    failed: int
    skipped: int
    succeeded: bool
    seconds: float

    def __str__(self) -> str:
        counts = [f"{self.passed} passed"]
        counts += [
            f"{number} {name}" for number, name in ((self.failed, "failed"), (self.skipped, "skipped")) if number
        ]
        if not self.succeeded and not self.failed:
            counts.append("not green: nothing passed, one was skipped in CI, or the run did not finish")
        return f"{self.part}: {', '.join(counts)} in {self.seconds:.0f} s"


def main() -> None:
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    began = time.monotonic()
    outcomes = run_all(arguments[:cut], arguments[cut + 1 :])
    print("\n".join(slowest([part for part in REPORTS if part in arguments[:cut]])))
    print(f"\n{'; '.join(map(str, outcomes))}; all: {time.monotonic() - began:.0f} s")
    sys.exit(0 if all(outcome.succeeded for outcome in outcomes) else 1)


def run_all(parts: list[str], extra: list[str]) -> list[Outcome]:
    """The last part alone: beside another one, scenarios that hold something to a time would fail for want of a core.
    The parts before it share the machine, and with them what the first scenarios would wait for is made."""
    *ahead, last = parts
    with ThreadPoolExecutor() as pool:
        if ahead and last == "e2e":
            pool.submit(subprocess.run, [*BESIDE, sys.executable, "-m", "tests.prepare"], cwd=ROOT, capture_output=True)
        outcomes = list(pool.map(lambda part: run(part, extra, beside=part != ahead[0]), ahead))
    return [*outcomes, run(last, extra)]


def run(part: str, extra: list[str], *, beside: bool = False) -> Outcome:
    """Runs one part; what runs beside another one steps back for it, and is printed once it is over."""
    shutil.rmtree(REPORTS[part], ignore_errors=True)
    began = time.monotonic()
    command, folder = what_runs(part, extra)
    if beside:
        ended = subprocess.run([*BESIDE, *command], cwd=folder, stdout=PIPE, stderr=STDOUT, text=True, check=False)
        print(ended.stdout)
    else:
        ended = subprocess.run(command, cwd=folder, text=True, check=False)
    counts = Counter(how for _, how in cases(REPORTS[part]))
    seconds = time.monotonic() - began
    return Outcome(
        part, counts["passed"], counts["failed"], counts["skipped"], ended.returncode == 0 and _counts(counts), seconds
    )


def _counts(counts: Counter[str]) -> bool:
    """Whether so many tests prove anything. Continuous integration has all that a test may need: none is skipped."""
    return counts["passed"] > 0 and not (counts["skipped"] and os.environ.get("CI") == "true")


def what_runs(part: str, extra: list[str]) -> tuple[list[str], Path]:
    """The command of a part, and the folder it runs in."""
    if part == "scala":
        return [sys.executable, "project/sbt", f"testOnly {' '.join(extra)}".strip()], ROOT
    pytest = [sys.executable, "-m", "pytest", f"--junitxml={REPORTS[part] / 'pytest.xml'}"]
    if part == "python":
        return [*pytest, *(extra or PAIRED)], ROOT / "python"
    # A scenario that hangs is ended after ten minutes, and its brokers with it.
    settings = ["-c", "python/pyproject.toml", "--rootdir=.", "--timeout=600"]
    if part == "slow":
        settings += ["-m", "slow and not long"]
    where = [] if any(argument.startswith("tests") for argument in extra) else ["tests"]
    # What is asked for comes last, and counts.
    return [*pytest, *settings, *(extra or SHARED), *where], ROOT


def cases(reports: Path) -> Iterator[tuple[Element, str]]:
    """Each test case in the JUnit reports of a folder, and whether it passed, failed or was skipped."""
    for report in reports.glob("*.xml"):
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                yield case, "failed"
            else:
                yield case, "passed" if case.find("skipped") is None else "skipped"


def slowest(parts: list[str]) -> Iterator[str]:
    """The slowest tests of these parts, a line each; the first one that asks for brokers or Spark waits for them."""
    took = [(float(case.get("time", 0)), part, case) for part in parts for case, _ in cases(REPORTS[part])]
    yield f"\nThe slowest {min(SHOWN, len(took))} of {len(took)} tests:"
    for seconds, part, case in sorted(took, key=lambda it: it[0], reverse=True)[:SHOWN]:
        yield f"{seconds:6.1f} s  {part}: {case.get('classname', '').split('.')[-1]}: {case.get('name')}"


if __name__ == "__main__":
    main()
