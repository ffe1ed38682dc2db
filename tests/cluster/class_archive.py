"""Archives of the classes that a program loads: with one its JVM is up in about half the time and work."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.cluster.made_once import made_once


def with_archive(program: str, classes: str, run: Callable[[str], None]) -> tuple[str, ...]:
    """The options by which a JVM with these ``classes`` on its path uses the archive of ``program``.

    Where there is none yet, ``run`` has the program started with the option that it is given, and ended in good order.
    A JVM that can't use the archive goes without, and one that makes none leaves it empty.
    """

    def make(draft: Path) -> None:
        run(f"-XX:ArchiveClassesAtExit={draft}")
        draft.touch()

    java = Path(shutil.which("java") or "java").resolve()
    archive = made_once(f"{program}.jsa", make, of=f"{java} {java.stat().st_mtime} {classes}")
    return (f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off") if archive.stat().st_size else ()
