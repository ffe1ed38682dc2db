"""Pure: a seed gives the faults of a run, each with its time."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What may happen; the value is its text."""

    DRIVER_KILLED = "driver killed"
    QUERY_RESTARTED = "query stopped and started"
    BROKER_KILLED = "broker killed"
    BROKER_RESTARTED = "broker restarted"
    BROKER_PAUSED = "broker paused"
    CLUSTER_DOWN = "cluster down for long"
    TOPIC_REMOVED = "topic removed from the metadata"
    TOPICS_EMPTIED = "cluster listed without topics"
    CLUSTER_REMOVED = "cluster removed from the metadata"
    CLUSTER_INACTIVE = "cluster listed as inactive"
    CLUSTER_RENAMED = "cluster renamed"
    CLUSTER_PAUSED = "cluster paused"
    TOPIC_PAUSED = "topic paused"
    PARTITION_ADDED = "partition added"
    TOPIC_RECREATED = "topic drained, deleted and created again"
    PASSWORD_CHANGED = "password changed"
    FILE_CUT = "metadata file cut"
    FILE_EMPTIED = "metadata file empty"
    FILE_GARBLED = "metadata file full of garbage"
    FILE_MISSING = "metadata file missing"
    SERVICE_RAISES = "metadata service raises"
    SERVICE_HANGS = "metadata service hangs"
    SERVICE_WRONG = "metadata service answers nonsense"
    EXECUTOR_KILLED = "executor killed"
    PARTITION_UNLED = "partition without a leader"
    LOG_CUT = "log cut off by an unclean election"


_OF_THE_FILE = (Kind.FILE_CUT, Kind.FILE_EMPTIED, Kind.FILE_GARBLED, Kind.FILE_MISSING)
_OF_THE_SERVICE = (Kind.SERVICE_RAISES, Kind.SERVICE_HANGS, Kind.SERVICE_WRONG)
_BROKEN = (0.3, 4.0)


@dataclass(frozen=True, slots=True)
class Fault:
    """``at`` is when it begins and ``lasts`` how long it stays, in seconds; ``draw``, 0 to 1, decides what is left."""

    at: float
    lasts: float
    kind: Kind
    cluster: str
    topic: str
    draw: float


@dataclass(frozen=True, slots=True)
class Lane:
    """Faults that come one after the other, since they would undo each other. Ranges are seconds."""

    name: str
    clusters: Sequence[str]
    topics: Sequence[str]
    gap: tuple[float, float]
    lasts: Mapping[Kind, tuple[float, float]]

    def faults(self, seed: int, seconds: float) -> Iterator[Fault]:
        """Those that begin within so many seconds. A longer run begins with the faults of a shorter one."""
        chance = random.Random(f"{seed} {self.name}")
        kinds = list(self.lasts)
        at = chance.uniform(0, self.gap[1])
        while at < seconds:
            kind = chance.choice(kinds)
            lasts = chance.uniform(*self.lasts[kind])
            yield Fault(at, lasts, kind, chance.choice(self.clusters), chance.choice(self.topics), chance.random())
            at += lasts + chance.uniform(*self.gap)


@dataclass(frozen=True, slots=True)
class World:
    """What there is to be maltreated. ``guarded`` is the cluster where clients log in, or empty; ``service`` says that
    one in Python reads the metadata file, ``drains`` that what is removed is read to its end. ``several`` is the
    cluster of several brokers, or empty: its brokers are away one at a time."""

    clusters: Sequence[str]
    topics: Sequence[str]
    guarded: str
    service: bool
    executors: bool
    drains: bool
    several: str = ""


def lanes(world: World, pace: float = 1) -> list[Lane]:
    """All lanes; the gaps between faults are multiplied by ``pace``."""

    def lane(name: str, gap: tuple[float, float], lasts: Mapping[Kind, tuple[float, float]], *clusters: str) -> Lane:
        return Lane(name, clusters or world.clusters, world.topics, (gap[0] * pace, gap[1] * pace), lasts)

    whole = [name for name in world.clusters if name != world.several]
    found = [
        lane("driver", (6, 36), {Kind.DRIVER_KILLED: (0, 2), Kind.QUERY_RESTARTED: (0, 0)}),
        lane("metadata", (3, 12), dict.fromkeys(_OF_THE_FILE, _BROKEN)),
        # One at a time: the others are to be read meanwhile.
        lane("death", (40, 100), {Kind.CLUSTER_DOWN: (40, 120)}, *whole),
        # Of its own, so that renames, removals and drains come while something is paused.
        lane("pause", (5, 20), {Kind.CLUSTER_PAUSED: (0.5, 8), Kind.TOPIC_PAUSED: (0.5, 8)}),
        *(lane(f"broker {name}", (6, 30), _of_a_broker(), name) for name in whole),
        *(lane(f"topology {name}", (2, 12), _of_the_topology(drains=world.drains), name) for name in world.clusters),
    ]
    if world.several:
        found.append(lane("unled", (6, 20), {Kind.PARTITION_UNLED: (1, 10)}, world.several))
        found.append(lane("cut", (6, 12), {Kind.LOG_CUT: (0, 0)}, world.several))
    if world.guarded:
        found.append(lane("password", (5, 20), {Kind.PASSWORD_CHANGED: (0, 2)}, world.guarded))
    if world.service:
        found.append(lane("service", (5, 25), dict.fromkeys(_OF_THE_SERVICE, _BROKEN)))
    if world.executors:
        found.append(lane("executors", (4, 16), {Kind.EXECUTOR_KILLED: (0, 0)}))
    return found


def script(seed: int, seconds: float, world: World, pace: float = 1) -> dict[str, list[Fault]]:
    """The faults of a run by lane, each lane in order of time."""
    return {lane.name: list(lane.faults(seed, seconds)) for lane in lanes(world, pace)}


def on_call(seed: int, seconds: float, clusters: Sequence[str]) -> dict[str, list[Fault]]:
    """One cluster is down for so many seconds, from any moment on; the driver is killed once meanwhile."""
    chance = random.Random(f"{seed} on call")
    at = chance.uniform(5, 15)
    death = Fault(at, seconds, Kind.CLUSTER_DOWN, chance.choice(clusters), "", chance.random())
    killed = Fault(at + seconds * chance.uniform(0.3, 0.6), 0, Kind.DRIVER_KILLED, "", "", 0)
    return {"death": [death], "driver": [killed]}


def _of_a_broker() -> dict[Kind, tuple[float, float]]:
    # Beyond the limits of the query's requests and reads, too.
    return {Kind.BROKER_KILLED: (0, 8), Kind.BROKER_RESTARTED: (0, 0), Kind.BROKER_PAUSED: (0.2, 14)}


def _of_the_topology(*, drains: bool) -> dict[Kind, tuple[float, float]]:
    found = {
        Kind.TOPIC_REMOVED: (0.1, 8.0),
        Kind.TOPICS_EMPTIED: (0.1, 8.0),
        Kind.CLUSTER_REMOVED: (0.1, 8.0),
        Kind.CLUSTER_INACTIVE: (0.1, 8.0),
        # For so long under both ids, if at all.
        Kind.CLUSTER_RENAMED: (0.0, 3.0),
        Kind.PARTITION_ADDED: (0.0, 0.0),
    }
    # Without a drain nobody reads what the old topic still holds.
    return {**found, Kind.TOPIC_RECREATED: (0.0, 0.0)} if drains else found
