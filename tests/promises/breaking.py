"""``python -m tests.promises.breaking [PART...]`` breaks each rule of `broken.yaml` once: do its tests fail?

With ``PART``s: only the rules that have one of them in their file, their words or their tests. Rules of Scala are
judged by the suites of Scala, those of Python by its tests; what only scenarios show takes their time. The exit code is
1 if a test that should fail passes.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from tests.promises.promised import ROOT, Break, NamedTest, breaks


class Sbt:
    """One sbt that is asked again and again, started with the first: to start it takes longer than most suites."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Sbt":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process:
            self._process.communicate("exit\n", timeout=60)

    def run(self, command: str) -> str:
        """What it prints."""
        if self._process is None:
            sbt = [sys.executable, "project/sbt"]
            self._process = subprocess.Popen(sbt, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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


@contextmanager
def broken(one: Break) -> Iterator[None]:
    """With this rule broken; the file is as it was afterwards."""
    text = one.path.read_text()
    assert text.count(one.old) == 1, f"{one.file} has {text.count(one.old)} times: {one.old}"
    one.path.write_text(text.replace(one.old, one.new))
    try:
        yield
    finally:
        one.path.write_text(text)


def passing(one: Break, sbt: Sbt) -> list[NamedTest]:
    """The tests that pass though the rule is broken."""
    scala = [test for test in one.fails if test.file.endswith(".scala")]
    failed = set()
    if scala:
        suites = {test.file.rsplit("/", 1)[-1].removesuffix(".scala") for test in scala}
        printed = sbt.run(f"thin/testOnly {' '.join(f'*.{suite}' for suite in sorted(suites))}")
        if "Compilation failed" in printed:
            raise RuntimeError(f"It does not compile: {one.when}\n{printed}")
        failed = {test for test in scala if _failed(test, printed)}
    return [test for test in one.fails if test not in failed and (test in scala or _passes(test))]


def _failed(test: NamedTest, printed: str) -> bool:
    suite = test.file.rsplit("/", 1)[-1].removesuffix(".scala")
    name = ".+?".join(map(re.escape, re.split(r"\$\{.*?\}|\$\w+", test.name)))
    return re.search(rf"==> X \S*\.{suite}\.{name}", printed) is not None


def _passes(test: NamedTest) -> bool:
    """Whether a test of Python passes: of the package, or of the whole product with a jar that is made anew."""
    if test.file.startswith("python/"):
        command, folder = (
            [sys.executable, "-m", "pytest", "-q", f"{test.file.removeprefix('python/')}"],
            ROOT / "python",
        )
        return subprocess.run([*command, "-k", test.name], cwd=folder, capture_output=True, check=False).returncode == 0
    command = ["make", "e2e", f"ARGS={test.file} -k {test.name}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def main() -> None:
    chosen = [one for one in breaks() if _is_meant(one, sys.argv[1:])]
    unnoticed = 0
    with Sbt() as sbt:
        for one in chosen:
            with broken(one):
                left = passing(one, sbt)
            unnoticed += bool(left)
            print(f"{'passes: ' + ', '.join(map(str, left)) if left else 'fails'}: {one.when} ({one.file})", flush=True)
    print(f"{len(chosen)} rules broken, {unnoticed} unnoticed by a test that should fail.")
    sys.exit(1 if unnoticed else 0)


def _is_meant(one: Break, parts: list[str]) -> bool:
    text = " ".join([one.file, one.when, *map(str, one.fails)])
    return not parts or any(part in text for part in parts)


if __name__ == "__main__":
    main()
