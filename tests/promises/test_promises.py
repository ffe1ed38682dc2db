"""docs/internals/promises.md: each promise has tests that exist, and what was broken to see them fail is there."""

from tests.promises.page import PAGE, page
from tests.promises.promised import NamedTest, breaks, promises


def test_no_promise_is_made_twice() -> None:
    made = [(promise.section, promise.text) for promise in promises()]
    assert [promise for promise in made if made.count(promise) > 1] == []
    assert [promise.text for promise in promises() if len(set(promise.tests)) < len(promise.tests)] == []


def test_every_promise_names_a_test() -> None:
    assert [promise.text for promise in promises() if not promise.tests] == []


def sections() -> list[str]:
    return list(dict.fromkeys(promise.section for promise in promises()))


def named() -> set[NamedTest]:
    return {test for promise in promises() for test in promise.tests}


def test_every_test_that_a_promise_names_exists() -> None:
    assert [str(test) for test in sorted(named()) if not test.exists] == []


def test_the_promises_are_numbered_from_1_to_11() -> None:
    numbers = [section.partition(".")[0] for section in sections()]
    assert [number for number in numbers if number.isdigit()] == [str(n) for n in range(1, 12)]


def test_each_rule_that_was_broken_stands_in_its_file_once_and_shows_in_a_test_of_a_promise() -> None:
    assert [f"{one.file}: {one.old}" for one in breaks() if one.path.read_text().count(one.old) != 1] == []
    assert [one.when for one in breaks() if one.old == one.new] == []
    assert [f"{one.when}: {test}" for one in breaks() for test in one.fails if test not in named()] == []
    assert [one.when for one in breaks() if not one.fails] == []


def test_of_each_of_the_eleven_a_rule_was_broken() -> None:
    seen = {test for one in breaks() for test in one.fails}
    shown = {promise.section for promise in promises() if seen & set(promise.tests)}
    assert [section for section in sections() if section[0].isdigit() and section not in shown] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"
