"""The jar inside this package."""

from __future__ import annotations

import atexit
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from tempfile import TemporaryDirectory

from dynamic_kafka.errors import DynamicKafkaError, JarMissingError

DISTRIBUTION = "dynamic-kafka-spark"
ARTIFACT = "dynamic-kafka-spark_2.13"


@cache
def jar_path() -> Path:
    """The path of the jar for Spark: for `spark.jars`, `--jars`, or a cluster's list of libraries.

        >>> jar_path().name
        'dynamic-kafka-spark_2.13-...jar'

    Raises `JarMissingError` if there is not exactly one jar, for example in a checkout that was not built.
    """
    folder = resources.files(__package__) / "jars"
    jars = [entry for entry in folder.iterdir() if entry.name.endswith(".jar")] if folder.is_dir() else []
    if len(jars) != 1:
        raise JarMissingError(
            f"{folder} has {len(jars)} jars; expected exactly one. Reinstall the wheel of {DISTRIBUTION}, or "
            f"start Spark with the package io.github.dynamickafka:{ARTIFACT}:{version()}."
        )
    (jar,) = jars
    if isinstance(jar, Path):
        return jar.resolve()
    # A wheel may be imported without being unpacked (`--py-files`). Then Spark gets a copy, which stays until this
    # process ends. It keeps the name of the jar, by which Spark knows it.
    temporary = TemporaryDirectory()
    atexit.register(temporary.cleanup)
    copy = Path(temporary.name, jar.name)
    copy.write_bytes(jar.read_bytes())
    return copy.resolve()


def version() -> str:
    """The version of this package. The jar must have the same."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise DynamicKafkaError(
            f"The package {DISTRIBUTION} is imported but not installed, so its version is unknown. Install its wheel, "
            "or in a checkout `pip install -e python`."
        ) from None
