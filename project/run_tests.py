"""Runs the parts of the tests one after the other and ends with one line of counts and times.

``run_tests.py PART... [-- PYTEST_ARGUMENT...]``, a part being ``scala``, ``python`` or ``e2e``. All parts run,
also after one that failed; the exit code is 1 if any did.
"""

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
# Where each part leaves its reports; sbt has a place of its own.
REPORTS = {
    "scala": ROOT / "jvm" / "target" / "test-reports",
    "python": ROOT / "build" / "test-reports" / "python",
    "e2e": ROOT / "build" / "test-reports" / "e2e",
}
# The whole of the scenarios is run by two processes, each with a Spark and brokers of its own, because a scenario waits
# more than it computes. The tests of a file share what is slow to start.
SHARED = ("--numprocesses=2", "--dist=loadfile")


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
            counts.append("did not finish")
        return f"{self.part}: {', '.join(counts)} in {self.seconds:.0f} s"


def main() -> None:
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    outcomes = [run(part, arguments[cut + 1 :]) for part in arguments[:cut]]
    total = sum(outcome.seconds for outcome in outcomes)
    print(f"\n{'; '.join(map(str, outcomes))}; all: {total:.0f} s")
    sys.exit(0 if all(outcome.succeeded for outcome in outcomes) else 1)


def run(part: str, extra: list[str]) -> Outcome:
    shutil.rmtree(REPORTS[part], ignore_errors=True)
    began = time.monotonic()
    command, folder = what_runs(part, extra)
    code = subprocess.run(command, cwd=folder, check=False).returncode
    passed, failed, skipped = counted(list(REPORTS[part].glob("*.xml")))
    return Outcome(part, passed, failed, skipped, code == 0, time.monotonic() - began)


def what_runs(part: str, extra: list[str]) -> tuple[list[str], Path]:
    """The command of a part, and the folder it runs in."""
    if part == "scala":
        return [sys.executable, "project/sbt", "thin/test"], ROOT
    pytest = [sys.executable, "-m", "pytest", f"--junitxml={REPORTS[part] / 'pytest.xml'}", *extra]
    if part == "python":
        return pytest, ROOT / "python"
    # A scenario that hangs is ended after ten minutes, and its brokers with it.
    settings = ["-c", "python/pyproject.toml", "--rootdir=.", "--timeout=600"]
    where = [] if any(argument.startswith("tests") for argument in extra) else ["tests"]
    return [*pytest, *settings, *([] if extra else SHARED), *where], ROOT


def counted(reports: list[Path]) -> tuple[int, int, int]:
    """How many test cases of these JUnit reports passed, failed and were skipped."""
    passed = failed = skipped = 0
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


if __name__ == "__main__":
    main()
