"""The pictures of docs/internals/measurements.md are on it, are small, and their letters can be searched and copied."""

import re
from pathlib import Path

import pytest
from bench import charts, driver_scale
from bench.folders import PAGE
from bench.readings import Reading, Readings

MOST_BYTES = 60_000


def test_a_drawing_has_letters_instead_of_outlines_and_plain_numbers(tmp_path: Path) -> None:
    taken = [
        Reading(driver_scale.SUITE, driver_scale.case(clusters, each), "ours", metric, "s", (value,))
        for clusters, each, value in ((10, 10, 0.001), (1000, 100, 1.5))
        for metric in (driver_scale.STEPS[0], driver_scale.SIZES[0])
    ]
    (path,) = charts.save(Readings(taken), tmp_path)
    drawn = path.read_text()
    assert ">partitions of all clusters</text>" in drawn
    assert ">100,000</text>" in drawn
    assert ">0.001</text>" in drawn


def test_the_page_shows_each_picture() -> None:
    shown = re.findall(r"^!\[[^\]]{40,}\]\(measurements/([\w-]+\.svg)\)$", PAGE.read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(picture.name for picture in PAGE.with_suffix("").glob("*.svg"))


@pytest.mark.parametrize("picture", sorted(PAGE.with_suffix("").glob("*.svg")), ids=lambda path: path.name)
def test_the_pictures_of_the_page_are_small(picture: Path) -> None:
    assert picture.stat().st_size < MOST_BYTES
