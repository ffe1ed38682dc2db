"""In which order files of tests are begun."""

from tests.file_order import UNKNOWN, longest_first, recorded


def test_the_longest_file_is_first_and_an_unknown_one_is_not_left_to_the_end() -> None:
    known = {"long.py": UNKNOWN + 1, "short.py": 1, "other.py": 1}
    assert longest_first({"short.py", "new.py", "other.py", "long.py"}, known) == [
        "long.py",
        "new.py",
        "other.py",
        "short.py",
    ]


def test_the_record_can_be_read() -> None:
    assert all(seconds >= 0 for seconds in recorded().values())
