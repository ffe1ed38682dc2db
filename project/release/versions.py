"""The version wherever it stands, and the sections of CHANGELOG.md."""

import re
from collections.abc import Iterator
from pathlib import Path

from project.release.place import ReleaseError

# In the forms of sbt, of Maven and of --packages, and the name of the wheel.
NAMED = re.compile(
    r'(dynamic-kafka-spark(?:-thin)?(?:_2\.13)?(?::|" *% *"|</artifactId>\s*<version>)|dynamic_kafka_spark-)'
    r"(\d+\.\d+\.\d+)"
)
_DECLARED = re.compile(r'(?m)^version = "(.+)"$')
_PLAIN = re.compile(r"\d+\.\d+\.\d+")
_SECTION = re.compile(r"(?m)^## (\S+), (.+)\n")
_OPEN = "not released yet"


def declared(root: Path) -> str:
    """The version of this checkout."""
    found = _DECLARED.search((root / "python" / "pyproject.toml").read_text())
    assert found
    return found[1]


def pages(root: Path) -> Iterator[Path]:
    """All that may name the version for users to copy."""
    yield root / "README.md"
    for folder in (root / "docs", root / "examples"):
        for page in sorted(folder.rglob("*")):
            if page.suffix in {".md", ".sbt"} and "target" not in page.parts:
                yield page


def set_version(root: Path, version: str) -> None:
    """Writes it into its one declaration, and into each page that shows what to install."""
    project = root / "python" / "pyproject.toml"
    project.write_text(_DECLARED.sub(f'version = "{version}"', project.read_text()))
    for page in pages(root):
        text = page.read_text()
        changed = NAMED.sub(rf"\g<1>{version}", text)
        if changed != text:
            page.write_text(changed)


def number(version: str) -> tuple[int, ...]:
    """For comparing. Raises `ReleaseError` unless it is three numbers, which both registries order alike."""
    if not _PLAIN.fullmatch(version):
        raise ReleaseError(f"VERSION={version}: three numbers are needed, such as 0.1.0.")
    return tuple(map(int, version.split(".")))


def series(version: str) -> tuple[int, ...]:
    """The releases with the same one run the programs of each other: docs/compatibility.md."""
    major, minor, _ = number(version)
    return (major,) if major else (major, minor)


def next_after(version: str) -> str:
    """The version that follows: the next minor one."""
    major, minor, _ = number(version)
    return f"{major}.{minor + 1}.0"


def released(changelog: str) -> list[str]:
    """The versions with a date, the newest first."""
    return [version for version, date in _SECTION.findall(changelog) if date != _OPEN]


def notes(changelog: str, version: str) -> str:
    """What CHANGELOG.md says of a version."""
    parts = _SECTION.split(changelog)
    # Before the first section, and then by threes: version, date, text.
    texts = dict(zip(parts[1::3], parts[3::3], strict=True))
    return texts.get(version, "").strip()


def cut(changelog: str, version: str, date: str) -> str:
    """The same with the date of a version's section. Raises `ReleaseError` if there is nothing to cut."""
    heading = f"## {version}, {_OPEN}\n"
    if heading not in changelog:
        raise ReleaseError(f"CHANGELOG.md has no section {heading.strip()!r}.")
    if not notes(changelog, version):
        raise ReleaseError(f"CHANGELOG.md says nothing about {version}.")
    return changelog.replace(heading, f"## {version}, {date}\n")


def begin(changelog: str, version: str) -> str:
    """The same with an empty section for what comes next, at the top."""
    return _SECTION.sub(lambda first: f"## {version}, {_OPEN}\n\n{first[0]}", changelog, count=1)
