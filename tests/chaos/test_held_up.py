"""What the journal says of faults, read again as what held rows up."""

from tests.chaos.ages import Trouble
from tests.chaos.faults import described
from tests.chaos.held_up import stops, troubles
from tests.chaos.journal import Happening
from tests.chaos.script import Fault, Kind
from tests.chaos.transactions import OPEN_FOR_LONG

# One fault of each kind, each a second long, in the order of the kinds.
ALL = [Happening(at, at + 1, described(Fault(at, 1, kind, "b", "ids-0", 0))) for at, kind in enumerate(Kind)]
AT = {kind: at for at, kind in enumerate(Kind)}
OF_NOBODY = {
    Kind.DRIVER_KILLED,
    Kind.QUERY_RESTARTED,
    Kind.FILE_EMPTIED,
    Kind.FILE_GARBLED,
    Kind.FILE_MISSING,
    Kind.SERVICE_RAISES,
    Kind.SERVICE_HANGS,
    Kind.SERVICE_WRONG,
}
OF_ALL = {Kind.FILE_CUT, Kind.EXECUTOR_KILLED}


def test_each_fault_is_the_trouble_of_its_cluster_and_of_no_other() -> None:
    found = troubles(ALL, ["a", "b", "b2"])
    assert {one.begin for one in found if one.cluster == "b"} == {AT[kind] for kind in Kind if kind not in OF_NOBODY}
    assert {one.begin for one in found if one.cluster == "b2"} == {AT[kind] for kind in OF_ALL}


def test_a_cluster_is_silent_while_its_broker_is_away() -> None:
    silent = {one.begin for one in troubles(ALL, ["a", "b"]) if one.silent}
    away = (Kind.BROKER_KILLED, Kind.BROKER_RESTARTED, Kind.BROKER_PAUSED, Kind.CLUSTER_DOWN)
    assert silent == {AT[kind] for kind in away}
    down = AT[Kind.CLUSTER_DOWN]
    assert Trouble("b", down, down + 1, silent=True) in troubles(ALL, ["b"])


def test_a_transaction_that_stays_open_for_long_holds_up_its_cluster_which_answers() -> None:
    found = troubles([Happening(3, 50, f"{OPEN_FOR_LONG} b ids-0")], ["a", "b"])
    assert found == [Trouble("b", 3, 50, silent=False)]


def test_the_query_stops_with_its_driver_and_where_it_is_restarted() -> None:
    assert stops(ALL) == [AT[Kind.DRIVER_KILLED], AT[Kind.QUERY_RESTARTED]]


def test_other_lines_of_the_journal_say_nothing_of_rows() -> None:
    assert troubles([Happening(0, 1, "all is well again")], ["a"]) == []
