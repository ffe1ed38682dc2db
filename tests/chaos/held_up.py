"""What of a run held rows up, out of what it left behind."""

from collections.abc import Collection, Iterable, Iterator

from tests.chaos.ages import Ages, Commit, History, Limits, Trouble, ages
from tests.chaos.journal import Happening
from tests.chaos.script import Kind
from tests.chaos.stage import Stage

# Where there are several brokers, the journal has each death of one beside what it was for.
_SILENT = {Kind.BROKER_KILLED, Kind.BROKER_RESTARTED, Kind.BROKER_PAUSED, Kind.CLUSTER_DOWN}
# A list that was cut may be believed, and the tasks of an executor run again, whichever cluster they read.
_OF_ALL = {Kind.FILE_CUT, Kind.EXECUTOR_KILLED}
_STOPS = {Kind.DRIVER_KILLED, Kind.QUERY_RESTARTED}


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
    """What was done to each of these clusters."""
    found = []
    for one, kind in _by_kind(happenings):
        named = one.text.removeprefix(kind.value).split()[:1]
        hit = clusters if kind in _OF_ALL else [name for name in named if name in clusters]
        found += [Trouble(name, one.begin, one.end, silent=kind in _SILENT) for name in hit]
    return found


def stops(happenings: Iterable[Happening]) -> list[float]:
    """When the query was stopped."""
    return [one.begin for one, kind in _by_kind(happenings) if kind in _STOPS]


def _by_kind(happenings: Iterable[Happening]) -> Iterator[tuple[Happening, Kind]]:
    for one in happenings:
        kind = next((kind for kind in Kind if one.text == kind.value or one.text.startswith(f"{kind.value} ")), None)
        if kind is not None:
            yield one, kind
