"""``python -m tests.promises.breaking [PART...]`` breaks each rule of `broken.yaml` once: do its tests fail?

With ``PART``s: only the rules that have one of them in their file, their words or their tests. All happens in a copy
of the checkout, `build/breaks`, so that a run that is killed leaves nothing broken. The tests run unbroken first. Only
a test that was passed then and fails now, by its own name, has seen the break: a source that does not compile, a test
that was not run, and one that is skipped have seen nothing. The exit code is 1 if there is one that has not.
"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import Element

from project import run_tests

from tests.promises.promised import ROOT, Break, NamedTest, breaks

COPY = ROOT / "build" / "breaks"
# What is built in the copy stays: the next run compiles only what has changed.
_BUILT = {"target", "build", "jars"}


class Sbt:
    """One sbt that is asked again and again, started with the first: to start it takes longer than most suites."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Sbt":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.communicate("exit\n", timeout=60)

    def run(self, command: str) -> str:
        """What it prints."""
        if self._process is None:
            sbt = [sys.executable, "project/sbt"]
            self._process = subprocess.Popen(sbt, cwd=COPY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        printed = []
        for line in self._process.stdout:
            printed.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
            if "Total time:" in printed[-1]:
                return "".join(printed)
        raise RuntimeError("sbt has ended:\n" + "".join(printed))


def copy_tree(root: Path, to: Path) -> None:
    """Makes the copy what the checkout is, with what is not committed. What is the same there is not touched."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    wanted = {to / name: root / name for name in names if (root / name).is_file()}
    for file in list(to.rglob("*")):
        if file.is_file() and file not in wanted and not _BUILT & set(file.relative_to(to).parts):
            file.unlink()
    for copy, file in wanted.items():
        if not copy.is_file() or not filecmp.cmp(file, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)


@contextmanager
def broken(one: Break, tree: Path) -> Iterator[None]:
    """With this rule broken in the tree; the file is as it was afterwards."""
    file = tree / one.path.relative_to(ROOT)
    text = file.read_text()
    assert text.count(one.old) == 1, f"{one.file} has {text.count(one.old)} times: {one.old}"
    file.write_text(text.replace(one.old, one.new))
    try:
        yield
    finally:
        file.write_text(text)


def run(tests: Iterable[NamedTest], sbt: Sbt) -> dict[NamedTest, str]:
    """How each test goes in the copy: `failed`, `passed`, `skipped`, `not run` or `does not compile`."""
    found: dict[NamedTest, str] = {}
    for part in ("scala", "python", "e2e"):
        mine = sorted(test for test in tests if _part(test) == part)
        if mine:
            reports = COPY / run_tests.REPORTS[part].relative_to(ROOT)
            shutil.rmtree(reports, ignore_errors=True)
            compiles = _run_scala(mine, sbt) if part == "scala" else _run_pytest(part, mine, sbt)
            found |= {test: outcome(test, reports) if compiles else "does not compile" for test in mine}
    return found


def outcome(test: NamedTest, reports: Path) -> str:
    """What the reports say of the test of this name, in all its cases."""
    found = {how for case, how in run_tests.cases(reports) if _is_case(test, case) and not _at_setup(case)}
    return next((one for one in ("failed", "passed", "skipped") if one in found), "not run")


def _at_setup(case: Element) -> bool:
    """Whether it failed before the test began, for want of a broker for example."""
    return any(error.get("message", "").startswith("failed on setup") for error in case.iter("error"))


def _is_case(test: NamedTest, case: Element) -> bool:
    classname, name = case.get("classname", ""), case.get("name", "")
    if _part(test) == "scala":
        # A name that is filled in for each case of a table.
        pattern = ".+".join(map(re.escape, re.split(r"\$\{.*?\}|\$\w+", test.name)))
        return classname.endswith(f".{Path(test.file).stem}") and re.fullmatch(pattern, name) is not None
    return classname.split(".")[-1] == Path(test.file).stem and name.partition("[")[0] == test.name


def _part(test: NamedTest) -> str:
    return "scala" if test.file.endswith(".scala") else "python" if test.file.startswith("python/") else "e2e"


def _run_scala(tests: list[NamedTest], sbt: Sbt) -> bool:
    """Returns whether the source compiles."""
    suites = sorted({f"*.{Path(test.file).stem}" for test in tests})
    return "ompilation failed" not in sbt.run(f"thin/testOnly {' '.join(suites)}")


def _run_pytest(part: str, tests: list[NamedTest], sbt: Sbt) -> bool:
    """The same, of the Python package or of the whole product, with a jar that is made of the broken source."""
    if "[error]" in sbt.run("all thin/packageBin shaded/packageBin"):
        return False
    jars = COPY / "python" / "src" / "dynamic_kafka" / "jars"
    jars.mkdir(exist_ok=True)
    (jar,) = (COPY / "jvm" / "target" / "scala-2.13").glob("dynamic-kafka-spark_2.13-*.jar")
    shutil.copy(jar, jars)
    chosen = [f"{test.file.removeprefix('python/')}::{test.name}" for test in tests]
    # Of the package that the environment has linked, programs that tests start would take the unbroken source.
    variables = {**os.environ, "PYTHONPATH": str(COPY / "python" / "src")}
    marks = "not long and not matrix and not release"
    command = [sys.executable, "project/run_tests.py", part, "--", "-m", marks, *chosen]
    subprocess.run(command, cwd=COPY, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
    return True


def main() -> None:
    chosen = [one for one in breaks() if _is_meant(one, sys.argv[1:])]
    copy_tree(ROOT, COPY)
    unseen = 0
    with Sbt() as sbt:
        before = run({test for one in chosen for test in one.fails}, sbt)
        for one in chosen:
            with broken(one, COPY):
                now = run(one.fails, sbt)
            left = [line for test in one.fails for line in blind(test, before[test], now[test])]
            unseen += bool(left)
            print(f"{'; '.join(left) or 'seen'}: {one.when} ({one.file})", flush=True)
    print(f"{len(chosen)} rules broken, {unseen} unseen by a test that should fail.")
    sys.exit(1 if unseen or not chosen else 0)


def blind(test: NamedTest, before: str, now: str) -> Iterator[str]:
    """What says that the test has not seen the break; nothing if it has."""
    if before != "passed":
        yield f"{test}: {before} without the break"
    elif now != "failed":
        yield f"{test}: {now}"


def _is_meant(one: Break, parts: list[str]) -> bool:
    text = " ".join([one.file, one.when, *map(str, one.fails)])
    return not parts or any(part in text for part in parts)


if __name__ == "__main__":
    main()
