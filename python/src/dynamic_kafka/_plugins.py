"""The thin jar and plugins of Kafka's client as Maven packages, and why they can't be taken."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from dynamic_kafka._jar import ARTIFACT, version
from dynamic_kafka.errors import InvalidOptionError, OptionTypeError

THIN = "dynamic-kafka-spark-thin_2.13"
_GROUP = "io.github.dynamickafka"
_COORDINATES = re.compile(r"[\w.-]+:[\w.-]+:[\w.+-]+")
_OPTION = "plugins"


def coordinates(plugins: Sequence[str], *, has_thin: bool) -> list[str]:
    """What Spark has to fetch: the thin jar, which brings Kafka's client, unless it is there; and the plugins."""
    if isinstance(plugins, str):
        raise OptionTypeError(f"plugins is the text {plugins!r}; write a list: [{plugins!r}].", option=_OPTION)
    for one in plugins:
        if not isinstance(one, str) or not _COORDINATES.fullmatch(one):
            raise InvalidOptionError(
                f"plugins has {one!r}; expected are Maven coordinates group:artifact:version, such as "
                "'software.amazon.msk:aws-msk-iam-auth:2.3.5'.",
                option=_OPTION,
            )
    return [*([] if has_thin else [f"{_GROUP}:{THIN}:{version()}"]), *plugins]


def on_class_path(text: str) -> list[str]:
    """The names on a class path. An entry that ends with `*` stands for the jars of its folder."""
    names: list[str] = []
    for entry in filter(None, text.split(":")):
        names += [str(jar) for jar in sorted(Path(entry[:-1]).glob("*.jar"))] if entry.endswith("*") else [entry]
    return names


def check_no_shaded_jar(places: Mapping[str, Sequence[str]]) -> None:
    """Raises `InvalidOptionError` if a place names the shaded jar: it and the thin jar have the same classes."""
    found = [f"{one} in {place}" for place, names in places.items() for one in names if ARTIFACT in one]
    if found:
        raise InvalidOptionError(
            f"plugins need the thin jar, but the shaded jar is there too: {'; '.join(found)}. Both have the same "
            "classes, and plugins do not fit the shaded one. Take it out there, and call configure_spark once, with "
            "plugins: it brings the thin jar.",
            option=_OPTION,
        )


def too_late(why: str, missing: Sequence[str]) -> InvalidOptionError:
    """The error for packages that Spark would not fetch any more."""
    packages = ",".join(missing)
    return InvalidOptionError(
        f"plugins can't be added: {why}. Missing are {packages}. Name them where Spark is started, beside other "
        f"packages: spark-submit --packages {packages}.",
        option=_OPTION,
    )
