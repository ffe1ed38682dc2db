"""Looks at the artifacts as the two registries would, and at what users compile against."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import griffe

from project import public_api
from project.release import central, versions
from project.release.place import (
    GROUP,
    ROOT,
    SHADED,
    TESTING,
    THIN,
    TOOLS,
    Place,
    ReleaseError,
    maven,
    python,
    run,
    sbt,
)

_SOURCE = Path("jvm/src/main/java/io/github/dynamickafka/spark/ClusterMetadata.java")
_WITHDRAWN = "  /** What a release had. */ public void withdrawn() {}\n"


def check_maven(place: Place) -> None:
    found = central.problems(maven(place.source), GROUP, (SHADED, THIN, TESTING), place.version)
    if found:
        raise ReleaseError("Maven Central would refuse:\n" + "\n".join(found))


def check_python(place: Place) -> None:
    """By the tools that look at what is uploaded to Python's registry."""
    archives = sorted(python(place.source).iterdir())
    wheel, source = sorted(archives, key=lambda file: file.suffix != ".whl")
    run([TOOLS / "twine", "check", "--strict", wheel, source])
    run([TOOLS / "check-wheel-contents", "--config", place.source / "python" / "pyproject.toml", wheel])
    run([TOOLS / "pyroma", "--min=10", source])


def check_python_api(place: Place) -> str:
    """What breaks the programs of users of the last release. Returns with which release it compared."""
    before = next(iter(versions.released((ROOT / "CHANGELOG.md").read_text())), None)
    if before is None:
        return "no release to compare with"
    old = griffe.load_git("dynamic_kafka", ref=f"v{before}", repo=place.source, search_paths=["python/src"])
    new = public_api.load(place.source / "python" / "src")
    broken = breaks(old, new)
    if broken and versions.series(before) == versions.series(place.version):
        raise ReleaseError(f"Programs written for {before} would break:\n" + "\n".join(broken))
    return "\n".join([f"compared with {before}", *broken])


def breaks(old: griffe.Object | griffe.Alias, new: griffe.Object | griffe.Alias) -> list[str]:
    """A line for each break between two versions of the package, of public names alone."""
    return [one.explain(griffe.ExplanationStyle("markdown")) for one in griffe.find_breaking_changes(old, new)]


def check_that_breaks_are_found(place: Place) -> None:
    """Compares the jar with one that has a method more, as if a release had had it: that must be found."""
    before = _with_a_method_more(place)
    previous = f'set thin/mimaPreviousClassfiles := Map("a" % "b" % "0.0.1" -> file("{before}"))'
    try:
        sbt(place.source, previous, "thin/mimaReportBinaryIssues")
    except ReleaseError as refused:
        if "withdrawn" in str(refused):
            return
        raise
    raise ReleaseError("A method that was taken away from the public API went unnoticed: see project/PublicApi.scala.")


def _with_a_method_more(place: Place) -> Path:
    """The thin jar with another `ClusterMetadata`, compiled against that jar."""
    folder = place.folder / "broken"
    source = folder / _SOURCE.name
    folder.mkdir(exist_ok=True)
    head, brace, _ = (place.source / _SOURCE).read_text().rpartition("}")
    source.write_text(f"{head}{_WITHDRAWN}{brace}\n")
    jar = Path(shutil.copy(next(maven(place.source).rglob(f"{THIN}-{place.version}.jar")), folder / "before.jar"))
    run(["javac", "--release", "17", "--class-path", jar, "-d", folder / "classes", source])
    subprocess.run(["jar", "--update", "--file", jar, "-C", folder / "classes", "."], check=True)
    with zipfile.ZipFile(jar) as archive:
        assert b"withdrawn" in archive.read("io/github/dynamickafka/spark/ClusterMetadata.class")
    return jar
