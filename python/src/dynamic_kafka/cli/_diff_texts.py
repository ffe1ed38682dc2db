"""What `diff` says, for a terminal and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from dynamic_kafka._redaction import printable
from dynamic_kafka.cli._status_texts import counted

Found = Mapping[str, Any]


class FailOn(str, Enum):
    """What counts as a finding. Each value includes those after it."""

    ANY = "any"
    REMOVALS = "removals"
    MISTAKES = "mistakes"


_REMOVALS = ("drains", "stops", "is forgotten")
_DUPLICATE = "DYNAMIC_KAFKA_CLUSTER_DUPLICATED"
# Why a cluster was not looked at.
_UNREACHED = tuple(
    f"DYNAMIC_KAFKA_{name}"
    for name in ("CLUSTER_UNREACHABLE", "CLUSTER_NOT_LISTED", "AUTHENTICATION_FAILED", "NOT_AUTHORIZED")
)
# The most streams that are named.
_SHOWN = 5

_HOW = {
    "drains": "read up to its end, then no more",
    "stops": "nothing more of it is read; positions are kept",
    "is forgotten": "not read any more, positions are dropped",
    "is held": "waits where it is, nothing is read",
    "pauses": "waits where it is, nothing is read",
    "resumes": "resumes exactly where it was",
    "ends elsewhere": "other endingOffsets",
    "is finished": "at its end",
    "changes its stream": "rows carry this stream from now on",
    "leaves": "it was in standby",
}
_OTHER = {
    "takes over": "continues where {} was read to",
    "hands over": "{} continues where it was read to",
    "stands by": "{} is read instead",
}


def finding(found: Found, fail_on: FailOn) -> bool:
    """Whether this counts as found."""
    if fail_on is FailOn.ANY:
        return bool(found["moves"] or found["streams"]["new"]) or finding(found, FailOn.REMOVALS)
    if fail_on is FailOn.REMOVALS and (found["streams"]["gone"] or any(_removals(found))):
        return True
    backlog = any(one.get("records") for one in _removals(found))
    return bool(found["suspicions"] or found.get("failure") or backlog or _DUPLICATE in _conditions(found))


def unseen(found: Found, fail_on: FailOn) -> Iterator[str]:
    """What could not be looked up, and might count."""
    for notice in found["notices"]:
        if found["connect"] and notice["condition"] in _UNREACHED:
            yield f"[{notice['condition']}] {notice['text']}"
    if fail_on is FailOn.MISTAKES:
        for one in _removals(found):
            if "records" not in one:
                yield (f"whether {one['topic']} on {one['cluster']} has a backlog. --connect counts it.")


def _removals(found: Found) -> Iterator[Found]:
    return (one for one in found["effects"] if one["effect"] in _REMOVALS)


def _conditions(found: Found) -> set[str]:
    return {notice["condition"] for notice in found["notices"]}


def headline(found: Found) -> str:
    """What was compared, for which query."""
    ids, pattern = found["query"].get("streamIds"), found["query"].get("streamPattern")
    if pattern:
        return f"{found['old']} -> {found['new']}, for a query of the streams that match {pattern}"
    if not ids:
        return f"{found['old']} -> {found['new']}"
    shown = ", ".join(ids[:_SHOWN]) + (f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else "")
    return f"{found['old']} -> {found['new']}, for a query of {shown}"


def alarms(found: Found) -> Iterator[str]:
    """What may be a mistake."""
    for one in found["suspicions"]:
        yield (
            f"{one['kind']} {one['gone']!r} is gone, and {one['appeared']!r} is new. The names are nearly the same: is "
            f"that a typo? A query takes them for two names, so {one['gone']!r} ends."
        )
    ends = Counter(one["stream"] for one in _removals(found))
    for stream in found["streams"]["gone"]:
        topics = f": {counted(ends[stream], 'topic')} of it come to an end" if ends[stream] else ""
        yield f"stream {stream!r} is gone{topics}. A query that names it reads nothing of it any more."
    if found.get("failure"):
        yield f"the query would fail: [{found['failure']['condition']}] {found['failure']['text']}"


def remarks(found: Found) -> Iterator[str]:
    """What else there is to know."""
    for stream in found["streams"]["new"]:
        yield f"Stream {stream} is new: queries that name it, or whose pattern it matches, begin to read it."
    for notice in found["notices"]:
        yield f"The query will warn: [{notice['condition']}] {notice['text']}"


def how(one: Found) -> str:
    """What an effect means for one topic."""
    name = one["effect"]
    if name == "drains" and one.get("records") == 0:
        return f"all of it is read: nothing is left to drain ({counted(one['partitions'], 'partition')})"
    if name == "starts":
        text = f"at {', '.join(one.get('starts', ['its start']))}"
    elif name in _OTHER:
        text = _OTHER[name].format(one.get("other"))
    else:
        text = _HOW.get(name, "")
    sizes = [counted(one[field], field[:-1]) for field in ("partitions", "records") if field in one]
    return f"{text} ({', '.join(sizes)})" if sizes else text


def summary(found: Found) -> str:
    """In one line."""
    kinds = Counter(one["effect"] for one in found["effects"] if one["moves"])
    if kinds:
        records = [one["records"] for one in found["effects"] if "records" in one]
        size = f" Records concerned: {sum(records):,}." if records else ""
        return f"Moves data: {', '.join(f'{name}: {number}' for name, number in kinds.items())}.{size}"
    if finding(found, FailOn.ANY):
        return "Nothing of this query moves, but look at the above."
    return "Moves no data."


def markdown(found: Found) -> str:
    """The same for a pull request."""
    lines = [f"### {_cell(headline(found))}", ""]
    lines += [f"> **Look twice:** {_cell(text)}\n" for text in alarms(found)]
    lines += [f"**{_cell(summary(found))}**", ""]
    if found["effects"]:
        lines += ["| effect | cluster | topic | stream | how |", "| --- | --- | --- | --- | --- |"]
        lines += [_row(one) for one in found["effects"]] + [""]
    lines += [f"- Cluster {_cell(one['cluster'])} {_cell(one['text'])}." for one in found["clusters"]]
    lines += [f"- {_cell(text)}" for text in remarks(found)]
    return "\n".join(lines).rstrip()


def _row(one: Found) -> str:
    effect = f"**{one['effect']}**" if one["moves"] else one["effect"]
    cells = [effect, *(_cell(one[field]) for field in ("cluster", "topic", "stream")), _cell(how(one))]
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """A name may hold any character: none of them may end a cell, or become a link or a tag."""
    for mark in "\\|<>[]*`_":
        text = text.replace(mark, f"\\{mark}")
    return printable(text)
