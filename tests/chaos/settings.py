"""Pure: how the query of a run is set up. What a user may change from one start to the next differs from start to
start; the rest from seed to seed."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

# Short, so that faults outlast them: what a driver and a task wait for before they give up.
_ALWAYS = {
    "startingOffsets": "earliest",
    "clusterRequestTimeout": "3s",
    "clusterReadTimeout": "6s",
    "kafka.isolation.level": "read_committed",
}
_OF_A_RUN: Mapping[str, tuple[str, ...]] = {"removedClusterPolicy": ("drain", "drain", "stop")}
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
# Milliseconds between batches, or a run that ends when it has read what was there.
AVAILABLE_NOW = 0
_TRIGGERS = (50, 500, 500, AVAILABLE_NOW)


@dataclass(frozen=True, slots=True)
class Settings:
    """The source's options, and the trigger's interval in milliseconds, or ``AVAILABLE_NOW``."""

    options: Mapping[str, str]
    trigger_ms: int

    @property
    def trigger(self) -> dict[str, object]:
        """As Spark's writer takes it."""
        if self.trigger_ms == AVAILABLE_NOW:
            return {"availableNow": True}
        return {"processingTime": f"{self.trigger_ms} milliseconds"}

    def __str__(self) -> str:
        told = (f"{key}={value}" for key, value in sorted(self.options.items()) if key not in _ALWAYS)
        when = "AvailableNow" if self.trigger_ms == AVAILABLE_NOW else f"{self.trigger_ms}ms"
        return f"{' '.join(told)} trigger={when}"


def settings(seed: int, start: str) -> Settings:
    """What this start of the query runs with, such as ``3.2``, the second one in the third driver."""
    chance = random.Random(f"{seed} settings {start}")
    drawn = {**_of_the_run(seed), **{key: chance.choice(values) for key, values in _OF_A_START.items()}}
    options = {**_ALWAYS, **{key: value for key, value in drawn.items() if value}}
    return Settings(options, chance.choice(_TRIGGERS))


def drains(seed: int) -> bool:
    """Whether in this run what is removed is read on to its end."""
    return _of_the_run(seed)["removedClusterPolicy"] == "drain"


def asks_python(seed: int) -> bool:
    """Whether in this run a service written in Python reads the metadata file."""
    return random.Random(f"{seed} service").random() < 0.5


def _of_the_run(seed: int) -> dict[str, str]:
    chance = random.Random(f"{seed} run")
    return {key: chance.choice(values) for key, values in _OF_A_RUN.items()}
