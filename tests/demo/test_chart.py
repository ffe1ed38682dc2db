"""The demo's chart, which is also the picture of README.md: small, and readable on a white page and on a dark one."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from demo.chart import save_chart
from demo.history import Batch, Event, History

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "a-stream-moves.svg"
MOST_BYTES = 60_000
# A page of GitHub's in its two modes.
PAGES = ("#ffffff", "#0d1117")
# As of the guidelines for accessible content: what graphics need to stand out from what is behind them.
LEAST_CONTRAST = 3.0


def a_run(batches: int) -> History:
    history = History(events=[Event(0.5, "orders is on eu-1", marks_topology=True), Event(3, "no more orders")])
    for number in range(batches):
        orders, waiting = {"eu-1": 1000, "eu-2": number}, {"eu-1": 10}
        history.add(Batch(number, number + 1.0, 1.0, orders, {"eu-1": "reading"}, waiting, ""))
    return history


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    save_chart(a_run(200), ("eu-1", "eu-2"), tmp_path / "chart.svg")
    return tmp_path / "chart.svg"


def light(colour: str) -> float:
    """The relative luminance of a colour, from 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("kept", [False, True], ids=["drawn", "kept"])
def test_a_chart_is_small_and_readable_on_both_pages(kept: bool, drawn: Path) -> None:
    text = (PICTURE if kept else drawn).read_text()
    assert len(text.encode()) < MOST_BYTES
    colours = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", text))
    assert len(colours) >= 3
    faint = {(colour, page) for colour in colours for page in PAGES if contrast(colour, page) < LEAST_CONTRAST}
    assert faint == set()


def test_it_names_the_clusters_and_only_the_moves_of_the_stream(drawn: Path) -> None:
    texts = re.findall(r"<text [^>]*>([^<]+)</text>", drawn.read_text())
    assert {"eu-1", "eu-2", "orders is on", "waiting"} <= set(texts)
    assert "no more orders" not in texts


def test_the_kept_picture_shows_the_whole_move() -> None:
    texts = re.findall(r"<text [^>]*>([^<]+)</text>", PICTURE.read_text())
    assert [after for text, after in pairwise(texts) if text == "orders is on"] == ["eu-1", "eu-1 and eu-2", "eu-2"]
