"""Lets the wheel be built only with exactly one jar inside, of the wheel's own version."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VERSION_FILE = "io/github/dynamickafka/spark/version.properties"


class JarHook(BuildHookInterface[Any]):
    """Runs before each build of a wheel or a source archive."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002, hatch's signature
        # A checkout is installed before its jar is built.
        if version != "editable":
            check_jar(Path(self.root, "src/dynamic_kafka/jars"), self.metadata.version)


def check_jar(folder: Path, version: str) -> None:
    """Raises unless the folder holds exactly one jar, of this version by its name and by its content."""
    jars = sorted(jar.name for jar in folder.glob("*.jar"))
    expected = f"dynamic-kafka-spark_2.13-{version}.jar"
    if jars != [expected]:
        found = ", ".join(jars) or "none"
        raise RuntimeError(
            f"{folder} must hold {expected} alone; found: {found}. Build it, copy it there, remove others."
        )
    with zipfile.ZipFile(folder / expected) as jar:
        content = jar.read(VERSION_FILE).decode() if VERSION_FILE in jar.namelist() else "no such file"
    if content.strip() != f"version={version}":
        raise RuntimeError(
            f"{expected}: {VERSION_FILE} says {content.strip()!r}, not version={version}. Build it anew."
        )
