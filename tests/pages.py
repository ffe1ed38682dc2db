"""The pages of this repository, and where their links lead."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+?)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:")


def pages(root: Path = ROOT) -> list[Path]:
    """Each page of Markdown that people read."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").glob("*/*.md")])


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Of the headings of a page, as GitHub and the site make them."""
    found: list[str] = []
    for heading in _HEADING.findall(prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return set(found)


def broken_links(page: Path) -> Iterator[str]:
    """What is wrong with the links of a page that lead to this repository."""
    for link in _LINK.findall(prose(page)):
        if _ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.name}: {link}: there is no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page.name}: {link}: there is no such heading"


def forms_of_offsets() -> list[str]:
    """The forms that docs/reference/offsets.md shows in its table."""
    section = (ROOT / "docs/reference/offsets.md").read_text(encoding="utf-8").partition("\n## The forms\n")[2]
    found: list[str] = re.findall(r"^\| `([^`]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    if len(found) < 5:
        raise LookupError("The page of offsets has no table of forms.")
    return found
