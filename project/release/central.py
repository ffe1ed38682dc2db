"""What Maven Central asks of a release, by what it documents as its requirements."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# Of any namespace: a pom has but one.
_ANY = "{*}"
_KINDS = (".pom", ".jar", "-sources.jar", "-javadoc.jar")
_TEXTS = (
    "name",
    "description",
    "url",
    "licenses/license/name",
    "licenses/license/url",
    "developers/developer/name",
    "developers/developer/email",
    "scm/url",
    "scm/connection",
    "scm/developerConnection",
)


def problems(repository: Path, group: str, artifacts: tuple[str, ...], version: str) -> list[str]:
    """What would be refused of a folder in the layout of a Maven repository; empty if nothing."""
    top = repository / group.replace(".", "/")
    found = [line for artifact in artifacts for line in _of(top / artifact / version, group, artifact, version)]
    expected = {top / artifact / version for artifact in artifacts}
    strangers = {file.parent for file in repository.rglob("*") if file.is_file()} - expected
    return found + [f"{folder}: belongs to nothing that is released" for folder in sorted(strangers)]


def _of(folder: Path, group: str, artifact: str, version: str) -> Iterator[str]:
    for kind in _KINDS:
        file = folder / f"{artifact}-{version}{kind}"
        if not file.is_file():
            yield f"{file.name}: is missing"
            continue
        if not Path(f"{file}.asc").is_file():
            yield f"{file.name}: has no signature"
        for name in ("md5", "sha1"):
            kept = Path(f"{file}.{name}")
            if not kept.is_file() or kept.read_text().strip() != hashlib.new(name, file.read_bytes()).hexdigest():
                yield f"{file.name}: its {name} is missing or wrong"
        if kind == ".pom":
            yield from (f"{file.name}: {line}" for line in _of_pom(file, group, artifact, version))


def _of_pom(file: Path, group: str, artifact: str, version: str) -> Iterator[str]:
    pom = read_pom(file)
    for name, expected in (("groupId", group), ("artifactId", artifact), ("version", version)):
        if text(pom, name) != expected:
            yield f"{name} is {text(pom, name)!r}, not {expected!r}"
    yield from (f"{name} is missing" for name in _TEXTS if not text(pom, name))
    if version.endswith("-SNAPSHOT"):
        yield "a snapshot is no release"
    yield from (f"depends on the snapshot {one}" for one in dependencies(pom) if one[2].endswith("-SNAPSHOT"))
    if pom.find(f"{_ANY}repositories") is not None:
        yield "names repositories of its own"


def read_pom(file: Path) -> Element:
    return ElementTree.parse(file).getroot()


def text(pom: Element, path: str) -> str:
    """What a pom says at a path such as `scm/url`; empty if nothing."""
    return (pom.findtext("/".join(f"{_ANY}{name}" for name in path.split("/"))) or "").strip()


def dependencies(pom: Element) -> list[tuple[str, str, str, str]]:
    """Group, artifact, version and scope of each."""
    found = pom.findall(f"{_ANY}dependencies/{_ANY}dependency")
    names = ("groupId", "artifactId", "version", "scope")
    return [(text(one, names[0]), text(one, names[1]), text(one, names[2]), text(one, names[3])) for one in found]


def bundle(repository: Path, to: Path) -> None:
    """One archive, as the portal of Central takes it."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(repository.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(repository))
