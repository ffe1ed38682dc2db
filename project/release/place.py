"""Where a release is made, and how it runs other programs."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# What only releases need.
TOOLS = ROOT / "build" / "tools" / "bin"
GROUP = "io.github.dynamickafka"
SHADED, THIN = "dynamic-kafka-spark_2.13", "dynamic-kafka-spark-thin_2.13"
TESTING = "dynamic-kafka-spark-testing"
_SHOWN = 40


class ReleaseError(Exception):
    """Why this is no release, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one release below `build`: nothing is written elsewhere.

    `source` is a clone with the release's own commit and tag, from which all is built. `again` is a clone of that, for
    the second build.
    """

    version: str
    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "source"

    @property
    def again(self) -> Path:
        return self.folder / "built-again"

    @property
    def bundle(self) -> Path:
        return self.folder / f"central-bundle-{self.version}.zip"

    @property
    def tag(self) -> str:
        return f"v{self.version}"


def maven(tree: Path) -> Path:
    """Where a build in this clone puts what is for Maven, in the layout of a repository."""
    return tree / "target" / "sona-staging"


def python(tree: Path) -> Path:
    """Where it puts the wheel and the source archive."""
    return tree / "python" / "dist"


def published(tree: Path) -> dict[str, Path]:
    """All files of a build that are published, by what a registry will call them."""
    files = [file for top in (maven(tree), python(tree)) for file in sorted(top.rglob("*")) if file.is_file()]
    return {str(file.relative_to(tree)): file for file in files}


def run(command: list[str | Path], folder: Path = ROOT, variables: Mapping[str, str] | None = None) -> str:
    """What the program printed. Raises `ReleaseError` with the end of it if the program failed."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **(variables or {})}
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ended.returncode:
        shown = "\n".join(ended.stdout.splitlines()[-_SHOWN:])
        raise ReleaseError(f"{' '.join(map(str, command))}\nin {folder} ended with {ended.returncode}:\n{shown}")
    return ended.stdout


def sbt(tree: Path, *commands: str, variables: Mapping[str, str] | None = None) -> str:
    """Runs sbt in a clone."""
    return run([sys.executable, tree / "project" / "sbt", *commands], tree, variables)
