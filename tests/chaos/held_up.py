"""What of a run held rows up, out of what it left behind."""

from collections.abc import Collection, Iterable, Iterator

from tests.chaos.ages import Ages, Commit, History, Limits, Trouble, ages
from tests.chaos.journal import Happening
from tests.chaos.script import Kind
from tests.chaos.stage import Stage
from tests.chaos.transactions import OPEN_FOR_LONG

# Where there are several brokers, the journal has each death of one beside what it was for.
_SILENT = {kind.value for kind in (Kind.BROKER_KILLED, Kind.BROKER_RESTARTED, Kind.BROKER_PAUSED, Kind.CLUSTER_DOWN)}
# A list that was cut may be believed, and the tasks of an executor run again, whichever cluster they read.
_OF_ALL = {Kind.FILE_CUT.value, Kind.EXECUTOR_KILLED.value}
_STOPS = {Kind.DRIVER_KILLED.value, Kind.QUERY_RESTARTED.value}


def ages_of(stage: Stage, limits: Limits) -> Ages:
    """How old the rows of healthy clusters were that came while another one was down."""
    at = stage.journal.at
    came = {row.id: at(stage.table.times[row.batch]) for row in stage.table.rows}
    return ages(stage.ledger.acks(), came, history(stage), limits)


def history(stage: Stage) -> History:
    at, happenings = stage.journal.at, stage.journal.happenings()
    return History(
        troubles=troubles(happenings, stage.clusters),
        commits=[Commit(at(planned), at(done)) for planned, done in stage.checkpoint.commits()],
        starts=[at(start.at) for start in stage.driver.starts()],
        stops=[*(at(end.at) for end in stage.driver.endings()), *stops(happenings)],
    )


def troubles(happenings: Iterable[Happening], clusters: Collection[str]) -> list[Trouble]:
    """What was done to each of these clusters, and which of their transactions stayed open for long."""
    found = []
    for one, kind in _by_text(happenings, [*(kind.value for kind in Kind), OPEN_FOR_LONG]):
        named = one.text.removeprefix(kind).split()[:1]
        hit = clusters if kind in _OF_ALL else [name for name in named if name in clusters]
        found += [Trouble(name, one.begin, one.end, silent=kind in _SILENT) for name in hit]
    return found


def stops(happenings: Iterable[Happening]) -> list[float]:
    """When the query was stopped."""
    return [one.begin for one, _ in _by_text(happenings, _STOPS)]


def _by_text(happenings: Iterable[Happening], texts: Collection[str]) -> Iterator[tuple[Happening, str]]:
    """Those that begin with one of these texts, with it."""
    for one in happenings:
        text = next((text for text in texts if one.text == text or one.text.startswith(f"{text} ")), None)
        if text is not None:
            yield one, text
