"""How an unclean election cuts a log off below what was read, and the log grows again."""

from contextlib import suppress

from tests.chaos.places import CUT_TOPIC, Source
from tests.chaos.script import Kind
from tests.chaos.stage import Stage
from tests.cluster import KafkaCluster, eventually

# How long a query may take to read what is lost afterwards, and a writer to begin anew.
_PATIENCE = 60.0
_LOOK_SECONDS = 0.25


def cut_log(stage: Stage, name: str, draw: float) -> bool:
    """Of two brokers one falls behind, and leads when the other is away. Whether what is lost then was read before.

    By the draw, 0 to 1, the log grows at once by as much as was lost, so maybe past what was read before anybody looks,
    or little by little when the brokers are all there. What was begun is brought to its end, even when the run is over.
    """
    cluster, producers = stage.clusters[name], stage.producers
    source = max(one for one in producers.sources() if one[:2] == (name, CUT_TOPIC))
    cluster.await_in_sync(CUT_TOPIC)
    try:
        _elect_who_is_behind(stage, cluster, source)
        if draw < 0.5:
            cluster.start()
        # While nobody writes: whoever reads a log that grows all the time may never see its end.
        producers.settle(cluster, source)
    finally:
        # By a writer that does not know what the log once held, and whose ids are distinct from those that were lost.
        producers.close(source)
        anew = source._replace(generation=source.generation + 1)
        producers.begin(cluster, anew)
        lost = [id_ for id_, ack in stage.ledger.cut_off().items() if ack.source == source]
        if draw >= 0.5:
            producers.write(anew, len(lost))
        cluster.start()
    eventually(f"{anew} grows", lambda: stage.ledger.of(anew), within=_PATIENCE)
    return any(id_ in stage.table.ids for id_ in lost)


def _elect_who_is_behind(stage: Stage, cluster: KafkaCluster, source: Source) -> None:
    # An election may be under way, and one of the two behind for a moment.
    in_sync, leads = eventually(
        f"both brokers have all of {CUT_TOPIC}, and one leads",
        lambda: (cluster.in_sync(CUT_TOPIC)[0], cluster.leader(CUT_TOPIC)),
        until=lambda seen: len(seen[0]) > 1 and seen[1] in seen[0],
        within=_PATIENCE,
    )
    (behind,) = in_sync - {leads}
    cluster.stop(behind)
    before = stage.ledger.of(source)

    def read() -> bool:
        return any(id_ in stage.table.ids for id_ in stage.ledger.of(source) - before)

    # A query that does not come to it has the log cut off above what it read.
    with suppress(AssertionError):
        eventually("what will be lost is read", read, within=_PATIENCE, every=_LOOK_SECONDS)
    stage.producers.rest(source)
    with stage.journal.during(f"{Kind.BROKER_KILLED.value} {cluster.name}"):
        cluster.kill(leads)
        cluster.start(behind)
        cluster.elect(CUT_TOPIC, unclean=True)
        cluster.await_leader(CUT_TOPIC, behind)
