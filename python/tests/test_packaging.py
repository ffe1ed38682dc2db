"""What may go into the wheel, and that the package imports where Spark is not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatch_build import VERSION_FILE, check_jar

import dynamic_kafka

NAME = "dynamic-kafka-spark_2.13-0.1.0.jar"


def jar(folder: Path, name: str, version: str | None) -> None:
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        if version:
            archive.writestr(VERSION_FILE, f"version={version}\n")


def test_one_jar_of_the_wheels_version_is_right(tmp_path: Path) -> None:
    jar(tmp_path, NAME, "0.1.0")
    check_jar(tmp_path, "0.1.0")


@pytest.mark.parametrize(
    ("jars", "message"),
    [
        ({}, f"must hold {NAME} alone; found: none"),
        ({"dynamic-kafka-spark_2.13-0.0.9.jar": "0.0.9"}, "found: dynamic-kafka-spark_2.13-0.0.9.jar"),
        ({NAME: "0.1.0", "dynamic-kafka-spark_2.13-0.0.9.jar": "0.0.9"}, "found: .*0.0.9.jar, .*0.1.0.jar"),
        ({NAME: "0.0.9"}, "says 'version=0.0.9', not version=0.1.0"),
        ({NAME: None}, "no such file"),
    ],
)
def test_anything_else_stops_the_build_and_says_why(tmp_path: Path, jars: dict[str, str | None], message: str) -> None:
    for name, version in jars.items():
        jar(tmp_path, name, version)
    with pytest.raises(RuntimeError, match=message):
        check_jar(tmp_path, "0.1.0")


def test_the_package_imports_without_pyspark() -> None:
    code = "import sys; sys.modules.update(pyspark=None, py4j=None); import dynamic_kafka"
    source = Path(dynamic_kafka.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(source)})


def test_every_public_name_is_there() -> None:
    assert sorted(dynamic_kafka.__all__) == dynamic_kafka.__all__
    assert all(hasattr(dynamic_kafka, name) for name in dynamic_kafka.__all__)
