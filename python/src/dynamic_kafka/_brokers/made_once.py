"""Files that brokers need and that are always the same: made at the first use, and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from dynamic_kafka._brokers.jars import cache_folder


def made_once(name: str, make: Callable[[Path], None], *, of: str = "", within: Path | None = None) -> Path:
    """The file or folder of this name, in the user's cache or ``within`` a folder. ``of`` says what it is made
    from: another text makes another one. ``make`` is given a path beside the file, so that nobody sees half of it.
    """
    import fcntl  # only here: Windows has none, and must get to the error that says so

    folder = within or cache_folder()
    stem, dot, kind = name.partition(".")
    made = folder / f"{stem}-{sha256(of.encode()).hexdigest()[:8]}{dot}{kind}"
    draft = made.with_name(f"draft-{made.name}")
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{made.name}.lock").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            if not made.exists():
                _remove(draft)
                make(draft)
                draft.rename(made)
    return made


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
