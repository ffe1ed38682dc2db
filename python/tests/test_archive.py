"""Starting offsets from the largest offsets of an archive. Those of a DataFrame are in tests/scenarios."""

from __future__ import annotations

from typing import Any

import pytest

from dynamic_kafka import offsets_after
from dynamic_kafka._archive import after
from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._offsets import offsets_text
from dynamic_kafka.errors import InvalidOptionError, OptionTypeError


def test_reading_begins_behind_the_largest_offset_and_at_the_earliest_everywhere_else() -> None:
    offsets = after([("eu/1", "orders", 1, 844), ("eu/1", "orders", 0, 1199), ("us", "a.b", 0, 0)])
    assert offsets == {"": "earliest", "eu/1": {"orders": {"0": 1200, "1": 845}}, "us": {"a.b": {"0": 1}}}
    assert offsets_text(OPTIONS, "startingOffsets", offsets) == (
        '{"":"earliest","eu/1":{"orders":{"0":1200,"1":845}},"us":{"a.b":{"0":1}}}'
    )


def test_an_empty_archive_begins_everywhere_at_the_earliest() -> None:
    assert after([]) == {"": "earliest"}


@pytest.mark.parametrize("column", ["cluster", "topic", "partition", "offset"])
def test_a_row_without_a_value_is_refused_with_its_column(column: str) -> None:
    row: dict[str, object] = {"cluster": "eu", "topic": "orders", "partition": 0, "offset": 5, column: None}
    with pytest.raises(InvalidOptionError, match=f"in the column {column}:"):
        after([tuple(row.values())])


def test_what_is_no_data_frame_is_a_type_error() -> None:
    history: Any = "archive"
    with pytest.raises(OptionTypeError, match="history is of type str; expected a DataFrame"):
        offsets_after(history)
