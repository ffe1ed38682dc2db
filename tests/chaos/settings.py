"""Pure: how the query of a run is set up. What a user may change from one start to the next differs from start to
start; the rest from seed to seed."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.chaos.ages import Limits

# Short, so that faults outlast them: what a driver and a task wait for before they give up.
_ALWAYS = {
    "startingOffsets": "earliest",
    "clusterRequestTimeout": "3s",
    "clusterReadTimeout": "6s",
    "kafka.isolation.level": "read_committed",
}
_OF_A_RUN: Mapping[str, tuple[str, ...]] = {
    "removedClusterPolicy": ("drain", "drain", "stop"),
    "unreadableRangePolicy": ("wait", "defer", "defer"),
}
_OF_A_START: Mapping[str, tuple[str, ...]] = {
    "unavailableClusterPolicy": ("skip", "fail"),
    "metadataDiscoveryInterval": ("300ms", "1s", "3s"),
    "metadataRequestTimeout": ("1s", "30s"),
    "consumerIdleTimeout": ("1s", "60s"),
    "brokerPollInterval": ("", "0ms", "1s"),
    "maxOffsetsPerTrigger": ("", "2000"),
    "maxBytesPerTrigger": ("", "", "500000"),
    "minOffsetsPerTrigger": ("", "", "500"),
    "maxTriggerDelay": ("1s",),
    "minPartitions": ("", "9"),
    "maxRecordsPerPartition": ("", "", "500"),
    "maxTimestampSkew": ("", "", "5s"),
    "kafka.max.poll.records": ("", "", "100"),
    "kafka.group.id": ("", "", "chaos"),
}
# What a user sets who has the healthy clusters read through any death of another one. A driver that waited for a dead
# cluster in each trigger would have rows wait for one request at least, and up to two: longer than `limits` allow.
_FLOWING = {"unavailableClusterPolicy": "skip", "clusterRequestTimeout": "15s"}
# What holds the healthy ones back on purpose. By the default of `clusterReadTimeout` what may be deferred stands still
# for 10 s at most, and what a failed attempt has taken is waited for: a limit that is over before the broker is there
# again would end the query.
_HOLDING = ("maxOffsetsPerTrigger", "maxBytesPerTrigger", "maxTimestampSkew", "clusterReadTimeout")
# What a batch of Real-Time Mode can't keep, most of it refused by name.
_OF_PLANNED = (
    "unreadableRangePolicy",
    "maxOffsetsPerTrigger",
    "maxBytesPerTrigger",
    "minOffsetsPerTrigger",
    "maxTriggerDelay",
    "minPartitions",
    "maxRecordsPerPartition",
    "maxTimestampSkew",
)
# Seconds of faults from which on drivers are a small part of a run.
_ENOUGH = 60.0
# Milliseconds between batches, or a run that ends when it has read what was there.
AVAILABLE_NOW = 0
# Batches of Real-Time Mode, each as short as Spark allows.
REAL_TIME = -1
_TRIGGERS = (50, 500, 500, AVAILABLE_NOW)


@dataclass(frozen=True, slots=True)
class Settings:
    """The source's options, and the trigger's interval in milliseconds, or ``AVAILABLE_NOW``, or ``REAL_TIME``."""

    options: Mapping[str, str]
    trigger_ms: int

    @property
    def trigger(self) -> dict[str, object]:
        """As Spark's writer takes it."""
        if self.trigger_ms == AVAILABLE_NOW:
            return {"availableNow": True}
        if self.trigger_ms == REAL_TIME:
            return {"realTime": "5 seconds"}
        return {"processingTime": f"{self.trigger_ms} milliseconds"}

    def __str__(self) -> str:
        shown = (f"{key}={value}" for key, value in sorted(self.options.items()) if key not in _ALWAYS)
        names = {AVAILABLE_NOW: "AvailableNow", REAL_TIME: "RealTime"}
        when = names.get(self.trigger_ms, f"{self.trigger_ms}ms")
        return f"{' '.join(shown)} trigger={when}"


def settings(seed: int, start: str) -> Settings:
    """What this start of the query runs with, such as ``3.2``, the second one in the third driver."""
    chance = random.Random(f"{seed} settings {start}")
    drawn = {**_of_the_run(seed), **{key: chance.choice(values) for key, values in _OF_A_START.items()}}
    options = {**_ALWAYS, **{key: value for key, value in drawn.items() if value}}
    trigger = chance.choice(_TRIGGERS)
    if not keeps_flowing(seed):
        return Settings(options, trigger)
    flowing = {key: value for key, value in options.items() if key not in _HOLDING} | _FLOWING
    return Settings(flowing, trigger or _TRIGGERS[0])


def live_settings(seed: int, start: str) -> Settings:
    """The same in Real-Time Mode."""
    options = {key: value for key, value in settings(seed, start).options.items() if key not in _OF_PLANNED}
    tasks = random.Random(f"{seed} tasks {start}").choice(({}, {"realTimeTasks": "1"}))
    return Settings({**options, **tasks}, REAL_TIME)


def accepts_loss(seed: int, start: str) -> bool:
    """Whether this start of a run whose logs are cut off goes on without being asked to."""
    return random.Random(f"{seed} loss {start}").random() < 0.5


def without_failing(chosen: Settings) -> Settings:
    """As a user restarts a query that data loss has ended."""
    return replace(chosen, options={**chosen.options, "failOnDataLoss": "false"})


# Of a query that somebody is on call for.
ON_CALL = Settings(
    {
        **_ALWAYS,
        **_FLOWING,
        "clusterRequestTimeout": "10s",
        "clusterReadTimeout": "15s",
        "unreadableRangePolicy": "defer",
        "metadataDiscoveryInterval": "1s",
    },
    trigger_ms=100,
)


def limits(seed: int, seconds: float, *, on_call: bool) -> Limits | None:
    """How old the rows of healthy clusters may get while another one is down; none where the settings promise nothing.
    A start with a batch left over asks the dead cluster once, for as long as a request may take. Rows of a run with
    transactions may lie behind one that is open. A run of a few seconds is one of many tests that share the machine:
    most of its rows wait for a driver, and a row that took a minute has waited for what is down."""
    if on_call:
        return Limits(read=17, start=25, driver=60, back=30, row=6)
    if not keeps_flowing(seed):
        return None
    if seconds < _ENOUGH:
        return Limits(read=12, start=150, driver=150, back=30, row=60)
    return Limits(read=12, start=30, driver=60, back=30, row=15, half=20)


def keeps_flowing(seed: int) -> bool:
    """Whether in this run no start of the query waits for a cluster that is down."""
    return _of_the_run(seed)["unreadableRangePolicy"] == "defer" and random.Random(f"{seed} flowing").random() < 0.7


def drains(seed: int) -> bool:
    """Whether in this run what is removed is read on to its end."""
    return _of_the_run(seed)["removedClusterPolicy"] == "drain"


def asks_python(seed: int) -> bool:
    """Whether in this run a service written in Python reads the metadata file."""
    return random.Random(f"{seed} service").random() < 0.5


def _of_the_run(seed: int) -> dict[str, str]:
    chance = random.Random(f"{seed} run")
    return {key: chance.choice(values) for key, values in _OF_A_RUN.items()}
