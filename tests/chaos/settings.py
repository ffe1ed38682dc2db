"""Pure: how the query of a run is set up, which differs from seed to seed."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

# Short, so that faults outlast them: what a driver and a task wait for before they give up.
_ALWAYS = {"startingOffsets": "earliest", "clusterRequestTimeout": "3s", "clusterReadTimeout": "6s"}
_VARIED: Mapping[str, tuple[str, ...]] = {
    "unavailableClusterPolicy": ("skip", "fail"),
    "removedClusterPolicy": ("drain", "drain", "stop"),
    "metadataDiscoveryInterval": ("300ms", "1s"),
    "consumerIdleTimeout": ("1s", "60s"),
    "maxOffsetsPerTrigger": ("", "2000"),
    "minPartitions": ("", "9"),
    "maxTimestampSkew": ("", "", "5s"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The source's options, and the trigger's interval in milliseconds."""

    options: Mapping[str, str]
    trigger_ms: int

    @property
    def drains(self) -> bool:
        """Whether what is removed is read on to its end."""
        return self.options["removedClusterPolicy"] == "drain"

    def __str__(self) -> str:
        told = (f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{' '.join(told)} trigger={self.trigger_ms}ms"


def settings(seed: int) -> Settings:
    """What this seed runs with."""
    chance = random.Random(f"{seed} settings")
    drawn = {key: chance.choice(values) for key, values in _VARIED.items()}
    options = {**_ALWAYS, **{key: value for key, value in drawn.items() if value}}
    return Settings(options, chance.choice((50, 500)))
