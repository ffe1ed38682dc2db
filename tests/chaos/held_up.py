"""What of a run held rows up, out of what it left behind."""

from collections.abc import Iterator, Mapping

from tests.chaos.ages import Ages, Commit, History, Limits, Trouble, ages
from tests.chaos.journal import Happening
from tests.chaos.script import Kind
from tests.chaos.stage import Stage

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
    at, happened = stage.journal.at, list(_by_kind(stage.journal.happenings()))
    return History(
        troubles=[trouble for one, kind in happened for trouble in _troubles(one, kind, stage.clusters)],
        commits=[Commit(at(planned), at(done)) for planned, done in stage.checkpoint.commits()],
        starts=[at(start.at) for start in stage.driver.starts()],
        stops=[
            *(at(end.at) for end in stage.driver.endings()),
            *(one.begin for one, kind in happened if kind in _STOPS),
        ],
    )


def _by_kind(happenings: list[Happening]) -> Iterator[tuple[Happening, Kind]]:
    for one in happenings:
        kind = next((kind for kind in Kind if one.text == kind.value or one.text.startswith(f"{kind.value} ")), None)
        if kind is not None:
            yield one, kind


def _troubles(one: Happening, kind: Kind, clusters: Mapping[str, object]) -> list[Trouble]:
    named = one.text.removeprefix(kind.value).split()[:1]
    hit = list(clusters) if kind in _OF_ALL else [name for name in named if name in clusters]
    return [Trouble(name, one.begin, one.end, silent=kind in _SILENT) for name in hit]
