"""The blocks of `docs/recipes.md`, and how they are run as they stand there."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.readme import ROOT

# What the blocks name in the working folder.
_FILES = re.compile(r'"(orders|bad-orders|checkpoint(?:-\d)?)(?=["/])')


def blocks() -> dict[str, dict[str, str]]:
    """By heading and language. No heading has two blocks of one language."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for section in re.split(r"^## ", (ROOT / "docs" / "recipes.md").read_text(), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            assert language not in found[heading], f"two blocks of {language} under {heading}"
            found[heading][language] = code
    return found


def block(heading: str, language: str = "python") -> str:
    return blocks()[heading][language]


def within(folder: Path, code: str) -> str:
    """The code with its files and checkpoints in this folder."""
    return _FILES.sub(rf'"{folder}/\1', code)


def ran(code: str, **given: object) -> dict[str, Any]:
    """What is named once the code has run, with these names given to it."""
    named: dict[str, Any] = {"__name__": "__main__", **given}
    exec(code, named)  # noqa: S102 - the page's own
    return named
