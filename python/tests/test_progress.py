"""What a notebook shows of a query, by progress events as Spark writes them."""

import io
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hostile import ID, SHOWN, forged
from matplotlib.text import Text

from dynamic_kafka import QueryProgress, progress

Clusters = Mapping[str, Mapping[str, str]]

DOWN = {"state": "unavailable", "pendingRecords": "9000", "cause": "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] <no> answer"}
GOOD = {
    "state": "reading",
    "pendingRecords": "10",
    "recordsPerSecond": "2.5",
    "timeLag": "90000",
    "secondsToCatchUp": "4",
}
APPEARED = "2026-11-22T12:00:01.123456789Z appeared=[eu.1/orders]"


@dataclass
class Reporting:
    """A query, classic or of Connect: of its events only the JSON is used."""

    events: list[dict[str, Any]]

    @property
    def recentProgress(self) -> list[Any]:  # noqa: N802 - Spark's own name
        return [SimpleNamespace(json=json.dumps(event)) for event in self.events]


def event(second: int, clusters: Clusters, change: str | None = None, **more: Any) -> dict[str, Any]:
    metrics = {"kafkaClustersCount": str(len(clusters)), "pendingRecords": "9010"}
    metrics |= {f"cluster.{id_}.{name}": value for id_, named in clusters.items() for name, value in named.items()}
    metrics |= {"lastTopologyChange": change} if change else {}
    spark = {"description": "KafkaV2[Subscribe[x]]", "metrics": {"minOffsetsBehindLatest": "0"}}
    head = {"id": "5f", "name": "to the lake", "batchId": second, "timestamp": f"2026-11-22T12:00:{second:02}.000Z"}
    return {**head, "sources": [spark, {"description": "dynamic-kafka", "metrics": metrics}], **more}


def shown(*events: dict[str, Any]) -> QueryProgress:
    return progress(Reporting(list(events)))


def test_those_with_a_cause_come_first_and_a_terminal_of_80_columns_shows_them() -> None:
    text = str(shown(event(2, {"eu.1": GOOD, "us": DOWN, "asia": {"state": "reading", "pendingRecords": "700"}})))
    assert [line.split()[0] for line in text.splitlines()[4:7]] == ["us", "asia", "eu.1"]
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[0] == "to the lake, batch 2, 2026-11-22 12:00:02 UTC"
    assert "3 clusters, 1 with a cause; 9,010 records not read, 2 read a second" in text
    assert text.splitlines()[6].split() == ["eu.1", "reading", "10", "2", "90", "s", "4", "s"]
    assert "us: [DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] <no> answer" in text


def test_a_notebook_gets_a_table_in_which_no_text_is_taken_for_html() -> None:
    table = shown(event(2, {"<b>": DOWN}), event(3, {"<b>": DOWN}, name="<i>"))._repr_html_()
    assert "&lt;no&gt; answer" in table
    assert "&lt;b&gt;" in table
    assert "&lt;i&gt;" in table
    for raw in ("<no>", "<b>", "<i>"):
        assert raw not in table


def test_each_change_of_the_topology_is_there_once() -> None:
    later = "2026-11-22T12:00:03Z vanished=[us/orders]"
    here = shown(event(2, {"a": GOOD}, APPEARED), event(4, {"a": GOOD}, later), event(5, {"a": GOOD}, later))
    assert [f"{one.at:%S} {one.what}" for one in here.changes] == [
        "01 appeared=[eu.1/orders]",
        "03 vanished=[us/orders]",
    ]


def test_a_query_without_progress_says_so() -> None:
    assert str(shown()) == "The query: there is no progress yet"
    assert "there is no progress yet" in shown()._repr_html_()
    assert shown().plot() is not None


def test_a_query_that_reads_nothing_of_ours_is_an_error() -> None:
    with pytest.raises(ValueError, match="to the lake reports no source number 0"):
        shown(event(1, {}, sources=[{"metrics": {}}, {"metrics": None}]))


def test_of_several_sources_one_is_chosen() -> None:
    both = event(1, {"a": GOOD})
    both["sources"].append(event(1, {"b": GOOD})["sources"][1])
    assert progress(Reporting([both])).clusters == ["a"]
    assert progress(Reporting([both]), source=1).clusters == ["b"]
    for number in (2, -1):
        with pytest.raises(ValueError, match=f"reports no source number {number}"):
            progress(Reporting([both]), source=number)


@pytest.mark.parametrize("count", [1, 3, 30])
def test_a_plot_names_every_cluster_and_lists_the_changes_within_it(count: int) -> None:
    clusters = {f"eu.{number}": GOOD for number in range(count)}
    figure = shown(event(1, clusters), event(2, {**clusters, "eu.0": DOWN}, APPEARED)).plot()
    rate, _, states = figure.axes
    assert [label.get_text() for label in states.get_yticklabels()] == sorted(clusters)
    assert {"eu.0"} <= {text.get_text() for legend in [rate.get_legend()] if legend for text in legend.get_texts()}
    if legend := rate.get_legend():
        shown_there = [text.get_text() for text in legend.get_texts()]
        assert len(shown_there) == min(count, 8)
        assert shown_there[:1] == (["23 others"] if count == 30 else ["eu.0"])
    assert "1  12:00:01  appeared=[eu.1/orders]" in [text.get_text() for text in figure.texts]
    image = io.BytesIO()
    figure.savefig(image, format="png")
    assert image.getvalue().startswith(b"\x89PNG")


def test_long_ids_are_whole_in_a_table_of_80_columns_and_told_apart_in_a_plot() -> None:
    ids = [f"eu-west-1-kafka-payments-production-of-the-data-centre-{number}" for number in range(3)]
    found = shown(event(1, {**dict.fromkeys(ids, GOOD), "us": GOOD}))
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    joined = "".join(line.split("  ")[0] for line in text.splitlines()[4:])
    assert all(id_ in joined for id_ in ids)
    names = [label.get_text() for label in found.plot().axes[2].get_yticklabels()]
    assert len(set(names)) == 4
    assert max(map(len, names)) <= 26


def test_any_id_is_drawn_as_it_is_and_shown_without_being_obeyed() -> None:
    clusters = {ID: DOWN, "_eu": GOOD, "$x$": GOOD}
    found = shown(event(1, clusters, name=ID), event(2, clusters, name=ID))
    figure = found.plot()
    figure.savefig(io.BytesIO(), format="png")
    texts = [text.get_text() for axes in figure.axes for text in (axes.get_legend() or axes).findobj(Text)]
    assert {"_eu", "$x$", f"{SHOWN[:25]}…"} <= set(texts)
    assert forged(str(found)) == []
    assert forged(found._repr_html_()) == []
    assert SHOWN in str(found)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "dynamic_kafka._progress_plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match=r"pip install 'dynamic-kafka-spark\[plot\]'"):
        shown(event(1, {"a": GOOD})).plot()


def test_a_data_frame_has_each_figure_of_each_cluster_at_each_event() -> None:
    frame = shown(event(1, {"eu.1": GOOD}), event(2, {"eu.1": GOOD, "us": DOWN})).to_pandas()
    assert list(frame["at"].dt.second) == [1, 2, 2]
    assert list(frame["cluster"]) == ["eu.1", "eu.1", "us"]
    assert list(frame["pendingRecords"]) == [10.0, 10.0, 9000.0]
    assert list(frame["state"]) == ["reading", "reading", "unavailable"]
    assert list(frame["timeLag"].fillna(-1)) == [90000.0, 90000.0, -1.0]
    assert list(shown().to_pandas().columns) == ["at", "batch", "cluster"]


def test_pandas_is_needed_by_a_data_frame_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = shown(event(1, {"a": GOOD}))
    assert "a" in str(found)
    with pytest.raises(ImportError, match="pip install pandas"):
        found.to_pandas()
