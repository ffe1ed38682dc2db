"""The pictures of docs/internals/measurements.md are on it, are small, and their letters can be searched and copied."""

import re
from pathlib import Path

import pytest
from bench.folders import PAGE

MOST_BYTES = 60_000


def test_the_page_shows_each_picture() -> None:
    shown = re.findall(r"^!\[[^\]]{40,}\]\(measurements/([\w-]+\.svg)\)$", PAGE.read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(picture.name for picture in PAGE.with_suffix("").glob("*.svg"))


@pytest.mark.parametrize("picture", sorted(PAGE.with_suffix("").glob("*.svg")), ids=lambda path: path.name)
def test_the_pictures_of_the_page_are_small(picture: Path) -> None:
    assert picture.stat().st_size < MOST_BYTES
