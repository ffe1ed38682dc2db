"""What becomes of measured values."""

from pathlib import Path

from bench.readings import Reading, Readings, load


def test_a_reading_shows_its_median_least_and_most() -> None:
    reading = Reading("suite", "case", "ours", "wall", "s", (3.0, 1.0, 2.0, 9.0))
    assert (reading.median, reading.least, reading.most) == (2.5, 1.0, 9.0)


def test_a_reading_that_was_not_taken_has_no_median() -> None:
    readings = Readings([Reading("suite", "case", "ours", "wall", "s", (1.0,))])
    assert readings.median("suite", "case", "ours", "wall") == 1.0
    assert readings.median("suite", "case", "theirs", "wall") is None


def test_saved_readings_come_back_as_they_were(tmp_path: Path) -> None:
    readings = Readings([Reading("suite", "case", "ours", "wall", "s", (1.0, 2.0))])
    readings.save(tmp_path / "folder" / "readings.json")
    assert list(load(tmp_path / "folder" / "readings.json")) == list(readings)
