"""Packages of Spark and for Spark, as jars that a session takes."""

import fcntl
import functools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jgo
from dynamic_kafka._brokers.made_once import made_once
from jgo.maven import MavenContext

_MADE_ONCE = Path(__file__).resolve().parents[1] / "build" / "made-once"


@functools.cache
def jars_of(coordinates: str, *needed: str) -> tuple[Path, ...]:
    """The jars of this artifact and of what it depends on whose names begin in these ways. Spark brings all others."""
    found = tuple(jar for jar in fetched(coordinates) if jar.name.startswith(needed))
    assert len(found) == len(needed), found
    return found


def fetched(coordinates: str) -> list[Path]:
    """The jars of these artifacts and of what they depend on."""

    def copy(folder: Path) -> None:
        folder.mkdir()
        with _turn():
            for jar in jgo.build(coordinates).all_jars:
                shutil.copy(jar, folder)

    # jgo empties its own folder of these jars each time it is asked for them, also while a JVM opens one.
    return sorted(made_once("jars", copy, of=coordinates, within=_MADE_ONCE).iterdir())


def fetched_alone(coordinates: str) -> Path:
    """The jar of an artifact without what it depends on."""
    group, artifact, version = coordinates.split(":")
    with _turn():
        return Path(MavenContext().project(group, artifact).at_version(version).artifact().resolve())


@contextmanager
def _turn() -> Iterator[None]:
    cache = Path.home() / ".cache"
    cache.mkdir(exist_ok=True)
    with (cache / "dynamic-kafka-jgo.lock").open("w") as turn:
        # A folder that another process is about to fill would pass for a whole one.
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield
