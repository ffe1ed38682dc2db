"""Packages of Spark and for Spark, as jars that a session takes."""

import fcntl
import functools
from pathlib import Path

import jgo


@functools.cache
def jars_of(coordinates: str, *needed: str) -> tuple[Path, ...]:
    """The jars of this artifact and of what it depends on whose names begin in these ways. Spark brings all others."""
    found = tuple(jar for jar in fetched(coordinates) if jar.name.startswith(needed))
    assert len(found) == len(needed), found
    return found


def fetched(coordinates: str) -> list[Path]:
    """The jars of these artifacts and of what they depend on. jgo keeps them, for this user."""
    cache = Path.home() / ".cache"
    cache.mkdir(exist_ok=True)
    with (cache / "dynamic-kafka-jgo.lock").open("w") as turn:
        # A folder that another process is about to fill would pass for a whole one.
        fcntl.flock(turn, fcntl.LOCK_EX)
        return [Path(jar) for jar in jgo.build(coordinates).all_jars]
