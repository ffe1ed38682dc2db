"""Builds all artifacts from a clone, and compares two builds byte for byte.

`python -m project.release.building` builds those of this checkout, which has the tag of its version.
"""

import hashlib
import shutil
import sys
from pathlib import Path

from project.release import versions
from project.release.place import BIN, GROUP, ROOT, SHADED, Place, ReleaseError, maven, published, python, run, sbt


def build(place: Place, tree: Path) -> None:
    """The jars with their poms, sources and documentation, and then the wheel and the source archive around one jar."""
    # Times in archives are those of the commit, whoever builds it and when.
    time = {"SOURCE_DATE_EPOCH": run(["git", "log", "-1", "--format=%ct", place.tag], tree).strip()}
    checked = ("thin/mimaReportBinaryIssues", "testing/mimaReportBinaryIssues")
    sbt(tree, *checked, "thin/publish", "shaded/publish", "testing/publish", "thin/makeBom", variables=time)
    jar = maven(tree) / GROUP.replace(".", "/") / SHADED / place.version / f"{SHADED}-{place.version}.jar"
    jars = tree / "python" / "src" / "dynamic_kafka" / "jars"
    jars.mkdir(exist_ok=True)
    shutil.copy(jar, jars)
    run(["make", "--silent", f"BIN={BIN}", "texts"], tree)
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", python(tree), tree / "python"], tree, time)


def compare(place: Place) -> int:
    """How many files are the same in both builds. Raises `ReleaseError` if one is not."""
    first, second = ({name: _digest(file) for name, file in published(tree).items()} for tree in _both(place))
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    if different:
        lines = "\n".join(different)
        raise ReleaseError(f"Two builds of {place.tag} differ, in {place.source} and {place.again}:\n{lines}")
    return len(first)


def _both(place: Place) -> tuple[Path, Path]:
    return place.source, place.again


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    build(Place(versions.declared(ROOT), ROOT), ROOT)
