"""Readings as Markdown tables."""

from collections.abc import Iterable, Sequence

from bench import (
    distance,
    distance_ages,
    distance_cold,
    driver_scale,
    fleet,
    hour,
    jobs,
    reaction,
    real_time,
    sick,
    slots,
    slow_cluster,
    small_batches,
    throughput,
    weights,
    wide,
)
from bench.goals import Outcome
from bench.machine import Machine
from bench.readings import CPU, WALL, Reading, Readings
from bench.sources import OURS
from bench.triggers import PARTS, TRIGGER


def report(machine: Machine, outcomes: Sequence[Outcome], readings: Readings) -> str:
    """All results of a run. A suite that did not run is left out."""
    sections = [
        ("On what", _facts(machine)),
        ("Goals", _goals(outcomes)),
        ("Many records, batch read", _seconds(readings.of(throughput.BATCH))),
        ("Many records, one cluster", _seconds(readings.of(throughput.ALONE))),
        ("Many records, `AvailableNow`", _seconds(readings.of(throughput.STREAM))),
        ("Jobs into Parquet", _seconds(readings.of(jobs.SUITE))),
        (f"One hour of {hour.RECORDS / 1e6:g} million records over forty", _hour(readings)),
        ("One trigger with a trickle of records", _triggers(readings)),
        ("Many partitions", _plain(readings.of(wide.SUITE))),
        ("One slow cluster", _plain(readings.of(slow_cluster.SUITE))),
        ("Far clusters, batch read", _seconds(readings.of(distance.BATCH))),
        ("Far clusters, a trickle of records", _plain(readings.of(distance_ages.SUITE))),
        ("Far clusters, a cold start", _plain(readings.of(distance_cold.SUITE))),
        ("Sick clusters beside healthy ones", _sick(readings)),
        ("Real-Time Mode", _plain(readings.of(real_time.SUITE))),
        ("A cluster is added", _plain(readings.of(reaction.SUITE))),
        ("What a task's parts cost", _plain(readings.of(weights.SUITE))),
        (f"Tasks on {slots.SUITE}", _plain(readings.of(slots.SUITE))),
        (f"{fleet.QUERIES} queries and one metadata service", _plain(readings.of(fleet.SUITE))),
        ("The driver alone", _driver(readings)),
        ("One value of a column", _plain(readings.of(driver_scale.COLUMNS))),
    ]
    return "\n\n".join(f"### {title}\n\n{text}" for title, text in sections if text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, empty without rows. The first column is text, the others are numbers."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    rule = "| --- |" + " ---: |" * (len(head) - 1)
    return "\n".join([f"| {' | '.join(head)} |", rule, *lines])


def spread(reading: Reading, digits: int = 2) -> str:
    """The median, with the least and the most in brackets."""
    return f"{reading.median:,.{digits}f} ({reading.least:,.{digits}f} to {reading.most:,.{digits}f})"


def _facts(machine: Machine) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in machine.facts)


def _goals(outcomes: Sequence[Outcome]) -> str:
    return table(
        ["goal", "wanted", "measured", "of single repetitions", "met"],
        ([one.text, one.bound, _number(one.value), _between(one), _met(one)] for one in outcomes),
    )


def _met(outcome: Outcome) -> str:
    if outcome.shown_by:
        return f"yes, by `{outcome.shown_by}`"
    return {True: "yes", False: "**no**", None: "not measured"}[outcome.met]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _between(outcome: Outcome) -> str:
    return "" if outcome.least is None else f"{_number(outcome.least)} to {_number(outcome.most)}"


def _seconds(readings: Sequence[Reading]) -> str:
    found = Readings(readings)
    rows = []
    for wall in readings:
        cpu = found.find(wall.suite, wall.case, wall.contestant, CPU)
        if wall.metric == WALL and cpu is not None:
            ours = found.median(wall.suite, wall.case, OURS, WALL)
            times = "" if ours is None else f"{wall.median / ours:.1f}"
            rows.append([f"{wall.case}, {wall.contestant}", spread(wall), spread(cpu), times])
    return table(["", "seconds", "CPU seconds", "time to ours"], rows)


def _hour(readings: Readings) -> str:
    rows = []
    for wall in readings.of(hour.SUITE):
        key = (wall.suite, wall.case, wall.contestant)
        cpu, fetched = readings.find(*key, CPU), readings.median(*key, hour.FETCHED)
        if wall.metric == WALL and cpu is not None and fetched is not None:
            rows.append([f"{wall.case}: {wall.contestant}", spread(wall), spread(cpu), f"{fetched:,.1f}"])
    return table(["", "seconds", "CPU seconds", "MiB fetched"], rows)


def _triggers(readings: Readings) -> str:
    rows = []
    for whole in readings.of(small_batches.SUITE):
        if whole.metric == TRIGGER:
            key = (whole.suite, whole.case, whole.contestant)
            parts = [readings.median(*key, part) for part in (*PARTS, CPU)]
            rows.append([f"{whole.case}, {whole.contestant}", _millis(whole), *map(_milli, parts)])
    return table(["clusters x partitions", "ms", *PARTS, "CPU ms"], rows)


def _sick(readings: Readings) -> str:
    before, after = (
        [sick.metric(part, value) for value in (sick.P50, sick.P99, sick.MOST)] for part in (sick.BEFORE, sick.AFTER)
    )
    columns = [*before, sick.metric(sick.FALL, sick.MOST), *after, sick.BATCH, sick.LATEST]
    rows = []
    for first in readings.of(sick.SUITE):
        if first.metric == columns[0]:
            found = [readings.find(first.suite, first.case, first.contestant, column) for column in columns]
            said = ["" if one is None else spread(one, 3 if one.metric == sick.LATEST else 2) for one in found]
            rows.append([f"{first.case}, {first.contestant}", *said])
    return table(["age of healthy rows, s", *columns], rows)


def _millis(reading: Reading) -> str:
    return f"{_milli(reading.median)} ({_milli(reading.least)} to {_milli(reading.most)})"


def _milli(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:,.0f}"


def _driver(readings: Readings) -> str:
    cases = list(dict.fromkeys(reading.case for reading in readings.of(driver_scale.SUITE)))
    rows = []
    for case in cases:
        key = (driver_scale.SUITE, case, OURS)
        times = [readings.median(*key, step) for step in driver_scale.STEPS]
        bytes_ = [readings.median(*key, size) for size in driver_scale.SIZES]
        rows.append(
            [case, *(f"{1000 * (one or 0):,.1f}" for one in times), *(f"{(one or 0) / 2**20:,.2f}" for one in bytes_)]
        )
    units = [*(f"{step}, ms" for step in driver_scale.STEPS), *(f"{size}, MiB" for size in driver_scale.SIZES)]
    head = ["clusters x partitions", *units]
    return table(head, rows)


def _plain(readings: Sequence[Reading]) -> str:
    return table(
        ["", "median (least to most)"],
        ([f"{one.case}, {one.contestant}: {one.metric}", f"{spread(one)} {one.unit}"] for one in readings),
    )
