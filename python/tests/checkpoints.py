"""Checkpoints for tests: those that Spark wrote, copies of them to damage, and small ones written here."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

COMPAT = Path(__file__).resolve().parents[2] / "tests" / "compat"
# By the checkpoint's source, the cluster that it read.
UNION = {"0": "eu-1", "1": "eu-2", "2": "us-1"}
_FOLDERS = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


def kept(kind: str) -> list[Path]:
    """The checkpoints of a kind that versions of Spark wrote."""
    found = [_unpacked(version, kind) for version in sorted(_versions()) if kind in _versions()[version]]
    assert found, kind
    return found


@cache
def _versions() -> dict[str, dict[str, dict[str, list[str]]]]:
    """By version of Spark and kind of checkpoint, the lines of each file."""
    return {text.stem: json.loads(text.read_text()) for text in (COMPAT / "spark").glob("*.json")}


@cache
def _unpacked(version: str, kind: str) -> Path:
    """A checkpoint as the folder that Spark wrote, until the tests end."""
    folder = Path(_FOLDERS.name, version, kind)
    for name, lines in _versions()[version][kind].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes("\n".join(lines).encode("latin-1"))
    return folder


def damaged(tmp_path: Path, kind: str, change: Callable[[Path], object]) -> str:
    """A copy of the newest checkpoint of a kind, after a change."""
    copy = tmp_path / "copy"
    shutil.copytree(kept(kind)[-1], copy)
    change(copy)
    return str(copy)


def written(folder: Path, offsets: Mapping[int, str], commits: tuple[int, ...] = (), version: str = "v1") -> str:
    """A checkpoint with these lines after the metadata of each batch."""
    for name, texts in (("offsets", offsets), ("commits", dict.fromkeys(commits, ""))):
        (folder / name).mkdir(parents=True)
        for number, text in texts.items():
            metadata = '{"batchWatermarkMs":0}' if name == "offsets" else '{"nextBatchWatermarkMs":0}'
            (folder / name / str(number)).write_text("\n".join(filter(None, (version, metadata, text))))
    return str(folder)


def kafka(**topics: list[int]) -> str:
    """An offset of Spark's Kafka source, by topic and partition."""
    # Spark writes partitions in any order.
    return json.dumps(
        {topic: {str(number): at for number, at in [*enumerate(ats)][::-1]} for topic, ats in topics.items()}
    )


def offsets_file(checkpoint: Path) -> Path:
    """The newest entry of the offset log."""
    return max((checkpoint / "offsets").iterdir(), key=lambda path: int(path.name))
