"""Where a checkpoint may lie beside this machine's folders; tests/scenarios has one behind a Spark session."""

from __future__ import annotations

import fsspec
import pytest
from checkpoints import kept

from dynamic_kafka._checkpoint_folder import checkpoint_folder
from dynamic_kafka.errors import CheckpointError
from dynamic_kafka.migrate import read_checkpoint


def test_a_url_is_read_through_fsspec() -> None:
    original = kept("commit-v3")[-1]
    memory = fsspec.filesystem("memory")
    memory.put(str(original), "/bucket/checkpoint", recursive=True)
    found = read_checkpoint("memory://bucket/checkpoint/")
    assert found.sources == read_checkpoint(str(original)).sources
    assert checkpoint_folder("memory://bucket/nowhere").names("offsets") == frozenset()
    assert checkpoint_folder("memory://bucket/nowhere").read("metadata") is None


def test_a_url_that_nothing_here_reads_says_what_to_install() -> None:
    with pytest.raises(CheckpointError, match=r"nothing here can read `s3:`.*s3fs.*with a Spark session"):
        read_checkpoint("s3a://bucket/checkpoint")


def test_an_error_shows_no_user_of_a_url() -> None:
    with pytest.raises(CheckpointError) as failure:
        read_checkpoint("nosuch://me:secret@host/checkpoint")
    assert "secret" not in str(failure.value)
    with pytest.raises(CheckpointError, match="It is no checkpoint") as failure:
        read_checkpoint("memory://me:secret@host/checkpoint")
    assert "secret" not in str(failure.value)
