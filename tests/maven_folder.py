"""A Maven repository that is a folder of this machine."""

import shutil
from pathlib import Path

from project.release.central import dependencies, read_pom

from tests.cluster.process_broker import kafka
from tests.cluster.versions import NEWEST
from tests.packages import fetched
from tests.readme import ROOT

_BUILT = ROOT / "jvm" / "target" / "scala-2.13"
_POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
</project>
"""


def thin_jar() -> Path:
    """The thin jar as `make jar` leaves it, with its POM beside it."""
    (jar,) = _BUILT.glob("dynamic-kafka-spark-thin_*[0-9].jar")
    return jar


def needed_by_thin_jar() -> dict[str, Path]:
    """The jars that its POM names and Spark does not bring, by their coordinates."""
    found = {}
    brokers = {Path(jar).stem: Path(jar) for jar in kafka(NEWEST).class_path.split(":")}
    for group, artifact, version, scope in dependencies(read_pom(thin_jar().with_suffix(".pom"))):
        if scope != "provided" and artifact != "scala-library":
            coordinates, name = f"{group}:{artifact}:{version}", f"{artifact}-{version}"
            found[coordinates] = brokers.get(name) or {jar.stem: jar for jar in fetched(coordinates)}[name]
    return found


def add(repository: Path, coordinates: str, jar: Path, pom: str = "") -> None:
    """Adds an artifact that depends on what its POM says; on nothing without one."""
    group, artifact, version = coordinates.split(":")
    folder = repository.joinpath(*group.split("."), artifact, version)
    folder.mkdir(parents=True)
    shutil.copy(jar, folder / f"{artifact}-{version}.jar")
    (folder / f"{artifact}-{version}.pom").write_text(pom or _POM.format(group, artifact, version))


def add_thin_jar(repository: Path) -> None:
    """Adds the thin jar."""
    artifact, _, version = thin_jar().stem.rpartition("-")
    pom = thin_jar().with_suffix(".pom").read_text()
    add(repository, f"io.github.dynamickafka:{artifact}:{version}", thin_jar(), pom)
