"""What Maven Central would refuse is found before it is uploaded."""

import hashlib
import re
from pathlib import Path

import pytest
from project.release import central

GROUP, ARTIFACT, VERSION = "io.github.dynamickafka", "dynamic-kafka-spark_2.13", "0.1.0"
POM = f"""<project xmlns="some">
  <groupId>{GROUP}</groupId><artifactId>{ARTIFACT}</artifactId><version>{VERSION}</version>
  <name>n</name><description>d</description><url>u</url>
  <licenses><license><name>Apache-2.0</name><url>l</url></license></licenses>
  <developers><developer><name>n</name><email>e</email></developer></developers>
  <scm><url>u</url><connection>c</connection><developerConnection>c</developerConnection></scm>
  <dependencies></dependencies>
</project>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An artifact that has all it needs."""
    folder = tmp_path / GROUP.replace(".", "/") / ARTIFACT / VERSION
    folder.mkdir(parents=True)
    for kind in (".jar", "-sources.jar", "-javadoc.jar"):
        write(folder / f"{ARTIFACT}-{VERSION}{kind}", "bytes")
    write(folder / f"{ARTIFACT}-{VERSION}.pom", POM)
    return folder


def write(file: Path, text: str) -> None:
    file.write_text(text)
    Path(f"{file}.asc").write_text("signature")
    for name in ("md5", "sha1"):
        Path(f"{file}.{name}").write_text(hashlib.new(name, text.encode()).hexdigest())


def problems(folder: Path) -> list[str]:
    return central.problems(folder.parents[4], GROUP, (ARTIFACT,), VERSION)


def test_a_whole_artifact_is_taken(folder: Path) -> None:
    assert problems(folder) == []


@pytest.mark.parametrize("kind", [".pom", ".jar", "-sources.jar", "-javadoc.jar"])
def test_each_file_is_needed_with_its_signature_and_checksums(kind: str, folder: Path) -> None:
    file = folder / f"{ARTIFACT}-{VERSION}{kind}"
    Path(f"{file}.sha1").write_text("0")
    Path(f"{file}.md5").unlink()
    Path(f"{file}.asc").unlink()
    assert problems(folder) == [
        f"{file.name}: has no signature",
        f"{file.name}: its md5 is missing or wrong",
        f"{file.name}: its sha1 is missing or wrong",
    ]
    file.unlink()
    assert problems(folder) == [f"{file.name}: is missing"]


@pytest.mark.parametrize("name", [text.rpartition("/")[2] for text in central._TEXTS])
def test_each_field_of_the_pom_is_needed(name: str, folder: Path) -> None:
    write(folder / f"{ARTIFACT}-{VERSION}.pom", re.sub(rf"<{name}>.*?</{name}>", f"<{name}></{name}>", POM))
    assert any(f"{name} is missing" in line for line in problems(folder))


@pytest.mark.parametrize(
    ("pom", "problem"),
    [
        (POM.replace(f"<version>{VERSION}", "<version>0.1.1"), "version is '0.1.1', not '0.1.0'"),
        (
            POM.replace("<dependencies>", "<dependencies><dependency><version>1-SNAPSHOT</version></dependency>"),
            "depends on the snapshot",
        ),
        (POM.replace("<dependencies>", "<repositories/><dependencies>"), "names repositories of its own"),
    ],
)
def test_what_a_pom_must_not_say_is_found(pom: str, problem: str, folder: Path) -> None:
    write(folder / f"{ARTIFACT}-{VERSION}.pom", pom)
    (found,) = problems(folder)
    assert problem in found


def test_what_belongs_to_no_artifact_is_found(folder: Path) -> None:
    stranger = folder.parents[1] / "dynamic-kafka_2.13" / VERSION / "x.jar"
    stranger.parent.mkdir(parents=True)
    write(stranger, "bytes")
    assert problems(folder) == [f"{stranger.parent}: belongs to nothing that is released"]
