"""Packages of Spark and for Spark, as jars that a session takes."""

import fcntl
import functools
import tempfile
from pathlib import Path

import jgo


@functools.cache
def jars_of(coordinates: str, *needed: str) -> tuple[Path, ...]:
    """The jars of this artifact and of what it depends on whose names begin in these ways. Spark brings all others."""
    with (Path(tempfile.gettempdir()) / "dynamic-kafka-jgo").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        found = tuple(Path(jar) for jar in jgo.build(coordinates).all_jars if Path(jar).name.startswith(needed))
    assert len(found) == len(needed), found
    return found
