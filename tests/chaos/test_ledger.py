"""What is known of an id from its sending to its end."""

import pytest

from tests.chaos.ledger import Ledger
from tests.chaos.places import Ack, Source, home, other_id

HERE = Source("a", "ids", 0)
PLACE = Ack(HERE, 0, 5, 1.0)


@pytest.fixture
def ledger() -> Ledger:
    """One id is on its way."""
    made = Ledger()
    made.send("id", HERE)
    return made


def test_an_id_is_unsure_until_it_is_confirmed(ledger: Ledger) -> None:
    assert (ledger.unsure(), ledger.unsure_of(HERE), ledger.of(HERE)) == ({"id"}, 1, set())
    ledger.confirm("id", PLACE)
    assert (ledger.unsure(), ledger.unsure_of(HERE), ledger.of(HERE)) == (set(), 0, {"id"})


def test_an_aborted_id_is_neither_due_nor_unsure_and_its_place_is_kept(ledger: Ledger) -> None:
    ledger.send("unsent", HERE)
    ledger.abort(["id", "unsent"], {"id": PLACE})
    assert (ledger.unsure(), ledger.unsure_of(HERE), ledger.acks()) == (set(), 0, {})
    assert ledger.aborted() == {"id": PLACE, "unsent": None}


def test_what_kafka_holds_as_committed_counts_whatever_was_said_of_it(ledger: Ledger) -> None:
    ids = ["confirmed", "unconfirmed", "in doubt", "aborted", "lost"]
    for id_ in ids:
        ledger.send(id_, HERE)
    ledger.confirm("id", PLACE)
    ledger.abort(["confirmed", "unconfirmed", "aborted"], {"confirmed": PLACE})
    ledger.doubt(["in doubt", "lost"])
    assert ledger.hold(HERE, dict.fromkeys(["id", "confirmed", "unconfirmed", "in doubt"], (1, 7)), at=9.0) == 3
    later = Ack(HERE, 1, 7, 9.0)
    assert ledger.acks() == {"id": PLACE, "confirmed": PLACE, "unconfirmed": later, "in doubt": later}
    assert (ledger.aborted(), ledger.unsure()) == ({"aborted": None}, {"lost"})


def test_what_a_log_that_was_cut_off_does_not_hold_is_lost_unless_it_is_there_after_all(ledger: Ledger) -> None:
    anew = HERE._replace(generation=1)
    for id_, source in (("old", HERE), ("new", anew), ("other", Source("b", "ids", 0))):
        ledger.send(id_, source)
        ledger.confirm(id_, PLACE._replace(source=source))
    ledger.confirm("id", PLACE)
    assert ledger.lose(HERE, {"id"}) == {"old"}
    assert ledger.acks().keys() == {"id", "new", "other"}
    assert ledger.cut_off() == {"old": PLACE}
    # A later cut may go further.
    assert ledger.lose(anew, {"new"}) == {"id"}
    assert ledger.hold(anew, {"old": (0, 5)}, at=9.0) == 1
    assert ledger.acks()["old"] == PLACE
    assert ledger.cut_off().keys() == {"id"}


def test_a_doubtful_id_stays_unsure_and_nobody_waits_for_it(ledger: Ledger) -> None:
    ledger.doubt(["id"])
    assert (ledger.unsure(), ledger.unsure_of(HERE), ledger.aborted()) == ({"id"}, 0, {})


def test_a_cluster_has_two_ids_and_one_home() -> None:
    assert other_id("a") != "a"
    assert other_id(other_id("a")) == "a"
    assert home(other_id("a")) == home("a") == "a"
