"""The corners of the table of versions, and an environment for each, kept in ``build/matrix``."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PathDistribution
from itertools import product
from pathlib import Path

from tests.readme import ROOT
from tests.wheel.environment import install

FOLDER = ROOT / "build" / "matrix"
SPARKS = ("4.0.5", "4.1.4", "4.2.1", "4.3.0")
JAVAS = ("17", "21", "25")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
# Of Java and Python, what a machine must have.
NEEDED = ("17", "3.11")

PIP, QUIETLY = (sys.executable, "-m", "pip"), ("--quiet", "--disable-pip-version-check")


@dataclass(frozen=True, slots=True)
class Corner:
    """One choice of versions."""

    spark: str
    java: str
    python: str

    def __str__(self) -> str:
        return f"spark-{self.spark}-java-{self.java}-python-{self.python}"


# The last one that is refused by its name.
TOO_OLD = "3.5.9"
# Spark before 4.2 does not start on Java 25: its Hadoop 3.4 asks for `Subject.getSubject`, which is gone there.
IMPOSSIBLE = {("4.0.5", "25"), ("4.1.4", "25")}
# Java 21 lies between two that are tried with each Python.
CORNERS = [
    Corner(*its)
    for its in product(SPARKS, JAVAS, PYTHONS)
    if its[:2] not in IMPOSSIBLE and (its[1] != "21" or its[2] == NEEDED[1])
]


class AbsentError(Exception):
    """This machine has no such interpreter or Java."""


def environment(corner: Corner, wheel: Path) -> tuple[Path, dict[str, str]]:
    """The interpreter of an environment of this corner with the wheel in it, and the variables to run it with.

    Raises ``AbsentError`` if the machine lacks a part of it.
    """
    home = java_home(corner.java)
    python = _with_wheel(python_with_spark(corner.python, corner.spark), wheel)
    variables = {
        "JAVA_HOME": str(home),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": "",
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_SUBMIT_ARGS": "pyspark-shell",
        # No archive of classes, which is of one Java.
        "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1",
    }
    return python, variables


def python_with_spark(python: str, spark: str) -> Path:
    """The interpreter of an environment that has PySpark and Py4J alone."""
    return _environment(f"python-{python}-spark-{spark}", interpreter_of(python), spark)


def python_with(extra: str, spark: str, wheel: Path) -> Path:
    """The interpreter of an environment with the wheel, this PySpark and what its extra needs, such as `connect`."""
    (described,) = spark_folder(spark).glob("pyspark-*.dist-info")
    needed = [one for one in PathDistribution(described).requires or () if f'extra == "{extra}"' in one]
    packages = [one.partition(";")[0] for one in needed]
    return _with_wheel(_environment(f"{extra}-spark-{spark}", Path(sys.executable), spark, packages), wheel)


def python_with_notebooks(spark: str, wheel: Path) -> Path:
    """The interpreter of an environment with the wheel, this PySpark, and a kernel of Jupyter's."""
    packages = ["nbclient~=0.10", "ipykernel>=6,<8"]
    return _with_wheel(_environment(f"notebook-spark-{spark}", Path(sys.executable), spark, packages), wheel)


def _environment(name: str, base: Path, spark: str, packages: Sequence[str] = ()) -> Path:
    """The interpreter of an environment of this name, made once."""
    folder, kept = FOLDER / name, spark_folder(spark)
    python = folder / "bin" / "python"
    with _turn(folder):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
            if packages:
                subprocess.run([*PIP, "--python", str(python), "install", *QUIETLY, *packages], check=True)
            (site,) = folder.glob("lib/python*/site-packages")
            (site / "spark.pth").write_text(f"{kept}\n")
            (folder / "ready").touch()
    return python


def _with_wheel(python: Path, wheel: Path) -> Path:
    """Installs it where it is another one than the last: somebody else may be using that one just now."""
    folder = python.parents[1]
    installed, built = folder / "wheel", f"{wheel.name} {wheel.stat().st_mtime_ns}"
    with _turn(folder):
        if not installed.exists() or installed.read_text() != built:
            install(python, wheel, "--force-reinstall")
            installed.write_text(built)
    return python


@cache
def spark_folder(spark: str) -> Path:
    """A folder with this PySpark, which all environments of its version share: each would take 400 MB."""
    folder = FOLDER / f"spark-{spark}"
    with _turn(folder):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([*PIP, "install", *QUIETLY, "--target", str(folder), f"pyspark=={spark}"], check=True)
            (folder / "ready").touch()
    return folder


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Two processes run the matrix, and both may want this folder first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{folder.name}.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


@cache
def interpreter_of(python: str) -> Path:
    """Of this version: this one, or where pyenv keeps them, or on the path. Raises ``AbsentError`` if there is none."""
    if python == f"{sys.version_info.major}.{sys.version_info.minor}":
        return Path(sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{python}")
    for found in [*sorted(pyenv.glob(f"{python}.*/bin/python"), reverse=True), *([Path(on_path)] if on_path else [])]:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if said.returncode == 0 and said.stdout.startswith(f"Python {python}."):
            return found
    raise AbsentError(f"no Python {python} is on the PATH or among pyenv's")


@cache
def java_home(java: str) -> Path:
    """Of this version: that of ``JAVA_<version>_HOME``, of the path, or in Linux's folder. Raises ``AbsentError``."""
    named = os.environ.get(f"JAVA_{java}_HOME")
    on_path = shutil.which("java")
    places = [Path(named)] if named else sorted(Path("/usr/lib/jvm").glob("*"))
    for place in [*places, *([Path(on_path).resolve().parents[1]] if on_path else [])]:
        release = place / "release"
        if release.is_file() and re.search(rf'^JAVA_VERSION="{java}[."]', release.read_text(), re.MULTILINE):
            return place
    raise AbsentError(f"no Java {java} is in /usr/lib/jvm or on the PATH; JAVA_{java}_HOME may name one")
