"""What tests need and is the same in each run: made by the first who asks, and kept in ``build/made-once``."""

import fcntl
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "build" / "made-once"


def made_once(name: str, make: Callable[[Path], None], *, of: str = "") -> Path:
    """The file or folder of this name. Another one is made where ``of`` is another text, which says what it was made
    from. ``make`` is given a path beside it, so that nobody sees half of it."""
    stem, dot, kind = name.partition(".")
    made = _FOLDER / f"{stem}-{sha256(of.encode()).hexdigest()[:8]}{dot}{kind}"
    draft = made.with_name(f"draft-{made.name}")
    if not made.exists():
        _FOLDER.mkdir(parents=True, exist_ok=True)
        with (_FOLDER / f"{made.name}.lock").open("w") as turn:
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
