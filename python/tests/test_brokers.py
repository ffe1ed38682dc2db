"""The jars of a broker are fetched once, each by its checksum, and what is lacking on a machine is said."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dynamic_kafka._brokers import KAFKA_VERSION, SetupError
from dynamic_kafka._brokers.jars import Jar, cache_folder, default_repository, fetch, missing, pinned
from dynamic_kafka._java_program import require_java
from dynamic_kafka.errors import NoJavaError

PATH = "org/one/1.0/one-1.0.jar"
CONTENT = b"a jar" * 30_000
ONE = Jar(hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), PATH)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[str]:
    """A Maven repository that holds one jar."""
    file = tmp_path / "repository" / PATH
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "repository")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_list_names_each_jar_once_and_those_of_the_version() -> None:
    names = [jar.name for jar in pinned()]
    assert len(set(names)) == len(names) > 30
    assert {f"kafka_2.13-{KAFKA_VERSION}.jar", f"kafka-clients-{KAFKA_VERSION}.jar"} <= set(names)
    assert all(len(jar.sha256) == 64 and jar.size for jar in pinned())


def test_jars_are_kept_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "dynamic-kafka-spark" / f"kafka-{KAFKA_VERSION}"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().is_relative_to(Path.home() / ".cache")


def test_a_jar_is_fetched_once_and_each_part_reported(repository: str, tmp_path: Path) -> None:
    parts: list[int] = []
    assert missing([ONE], tmp_path / "cache") == [ONE]
    fetch([ONE], tmp_path / "cache", parts.append, f"{repository}/")
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [ONE.name]
    assert (tmp_path / "cache" / ONE.name).read_bytes() == CONTENT
    assert len(parts) > 1
    assert sum(parts) == len(CONTENT)
    assert missing([ONE], tmp_path / "cache") == []


def test_a_jar_that_was_cut_off_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / ONE.name).write_bytes(CONTENT[:-1])
    assert missing([ONE], tmp_path) == [ONE]


def test_a_jar_with_another_checksum_is_refused_and_not_kept(repository: str, tmp_path: Path) -> None:
    other = Jar("0" * 64, ONE.size, PATH)
    with pytest.raises(SetupError, match=r"one-1\.0\.jar is not the jar that the list names: its SHA-256 differs"):
        fetch([other], tmp_path / "cache", repository=repository)
    assert list((tmp_path / "cache").iterdir()) == []


def test_no_network_and_no_such_jar_say_what_to_set(repository: str, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"Can't fetch http://127\.0\.0\.1:1/.*refused.* HTTPS_PROXY .*--repository"):
        fetch([ONE], tmp_path, repository="http://127.0.0.1:1")
    gone = Jar(ONE.sha256, ONE.size, "org/gone.jar")
    with pytest.raises(SetupError, match=r"/org/gone\.jar: the answer is 404"):
        fetch([gone], tmp_path, repository=repository)


def test_a_full_disk_is_reported_with_what_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9_000_000, 8_000_000, 1_000_000))
    with pytest.raises(SetupError, match=r"is full: 41 MB are needed, 1 MB are free"):
        fetch(pinned(), tmp_path)


def test_a_cache_that_is_no_folder_is_reported_with_the_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match=r"Can't write to .*XDG_CACHE_HOME"):
        fetch([ONE], tmp_path / "file" / "cache")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('openjdk version "11.0.20" 2023-07-18', "is Java 11: Java 17 or newer is needed"),
        ('java version "1.8.0_292"', "is Java 8: Java 17 or newer is needed"),
        ("no such library", "does not start: no such library"),
    ],
)
def test_a_java_that_is_too_old_or_broken_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, text: str
) -> None:
    java(tmp_path, said)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoJavaError, match=text):
        require_java()


def test_a_java_that_is_new_enough_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java(tmp_path, 'openjdk version "26-ea" 2026-03-17')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert require_java() == str(tmp_path / "bin" / "java")


def java(home: Path, said: str) -> None:
    program = home / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o700)


def test_kafka_comes_from_where_spark_takes_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.fullmatch(r"https://\S+/maven2/", default_repository())
    monkeypatch.setenv("DEFAULT_ARTIFACT_REPOSITORY", "https://mirror.example.com/maven")
    assert default_repository() == "https://mirror.example.com/maven"


def test_without_pyspark_a_repository_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEFAULT_ARTIFACT_REPOSITORY", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SetupError, match="--repository"):
        default_repository()
