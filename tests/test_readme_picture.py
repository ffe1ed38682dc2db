"""The picture of README.md: small, and readable on a white page and on a dark one."""

import re
from itertools import pairwise
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "a-stream-moves.svg"
MOST_BYTES = 60_000
# A page of GitHub's in its two modes.
PAGES = ("#ffffff", "#0d1117")
# As of the guidelines for accessible content: what graphics need to stand out from what is behind them.
LEAST_CONTRAST = 3.0


def light(colour: str) -> float:
    """The relative luminance of a colour, from 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_it_is_small_and_readable_on_both_pages() -> None:
    text = PICTURE.read_text()
    assert len(text.encode()) < MOST_BYTES
    colours = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text))
    assert len(colours) >= 3
    faint = {(colour, page) for colour in colours for page in PAGES if contrast(colour, page) < LEAST_CONTRAST}
    assert faint == set()


def test_it_shows_the_whole_move() -> None:
    texts = re.findall(r"<text [^>]*>([^<]+)</text>", PICTURE.read_text())
    assert {"eu-1", "eu-2", "waiting"} <= set(texts)
    assert [after for text, after in pairwise(texts) if text == "orders is on"] == ["eu-1", "eu-1 and eu-2", "eu-2"]
