"""The demo's own parts: a check that can't fail would show nothing. The whole of it: tests/wheel/test_demo.py."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dynamic_kafka._brokers import SetupError
from dynamic_kafka.demo.__main__ import main, require_spark
from dynamic_kafka.demo._orders import problems
from dynamic_kafka.demo._query import require_whole
from dynamic_kafka.demo._screen import Line, Screen, table

SENT = ["eu-1", "eu-2", "eu-1"]
ALL = [(0, "eu-1"), (1, "eu-2"), (2, "eu-1")]


def test_each_order_once_is_right_in_any_order() -> None:
    assert problems(SENT, ALL[::-1]) == []


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ALL[:-1], "missing: 1, such as 2 of eu-1"),
        ([*ALL, ALL[1]], "more than once: 1, such as 1 of eu-2"),
        ([*ALL, (7, "eu-1")], "never written: 1, such as 7 of eu-1"),
        ([*ALL, (-1, "eu-1")], "never written: 1, such as -1 of eu-1"),
    ],
)
def test_what_is_wrong_is_named(rows: list[tuple[int, str]], said: str) -> None:
    assert problems(SENT, rows) == [said]


def test_an_order_from_the_wrong_cluster_is_wrong() -> None:
    assert problems(SENT, [(number, "eu-1") for number, _ in ALL]) == [
        "missing: 1, such as 1 of eu-2",
        "never written: 1, such as 1 of eu-1",
    ]


def test_nothing_written_is_wrong() -> None:
    assert problems([], []) == ["no order was written"]


def test_what_the_query_gives_up_ends_it_at_once_and_is_named() -> None:
    def progress(*abandoned: str) -> Any:
        return SimpleNamespace(sources=[SimpleNamespace(metrics={"abandonedRecords": count}) for count in abandoned])

    for whole in (progress(), progress("0", "0")):
        require_whole(whole)
    with pytest.raises(SetupError, match=r"The query gave up 10,041 orders of a cluster .*--folder, spark\.log"):
        require_whole(progress("0", "10041"))


LINES = [Line("eu-1", True, 1_200, 800, "reading", 50, 400), Line("eu-2", False, 0, 0)]


def test_the_table_has_a_row_for_each_cluster_and_a_bar_for_what_arrives() -> None:
    assert table(LINES) == [
        "cluster  listed  state    written  arrived  a second  not read",
        "eu-1     yes     reading    1,200      800        50       400  ########################",
        "eu-2     no      -              0        0         0         0",
    ]


def test_a_terminal_is_drawn_over_and_a_file_gets_each_event_once() -> None:
    plain, live = io.StringIO(), io.StringIO()
    live.isatty = lambda: True  # type: ignore[method-assign]
    for out in (plain, live):
        screen = Screen(out)
        screen.show(0.0, LINES, ["one"])
        screen.show(0.5, LINES, ["one", "two"])
        screen.show(9.0, LINES, ["one", "two"])
    assert plain.getvalue().splitlines() == ["one", *table(LINES), "two", *table(LINES)]
    assert live.getvalue().count("\x1b[J") == 2
    assert "\x1b[7F" in live.getvalue()


def test_without_pyspark_or_with_an_old_one_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "3.5.6")
    with pytest.raises(SetupError, match=r"PySpark is 3\.5\.6.*pip install 'dynamic-kafka-spark\[pyspark\]'"):
        require_spark()
    monkeypatch.setattr(util, "find_spec", lambda _: None)
    with pytest.raises(SetupError, match=r"There is no PySpark.*pip install 'dynamic-kafka-spark\[pyspark\]'"):
        require_spark()


def test_what_is_lacking_is_exit_code_2_without_a_trace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["demo", "--folder", str(tmp_path)])
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main() == 2
    assert "The demo can't run. [DYNAMIC_KAFKA_NO_JAVA] JAVA_HOME is" in capsys.readouterr().err
    monkeypatch.delenv("JAVA_HOME")
    (tmp_path / "mine").write_text("")
    assert main() == 2
    assert f"{tmp_path} is not empty" in capsys.readouterr().err


def test_it_says_how_it_is_used_without_pyspark() -> None:
    without = "import sys; sys.modules.update(pyspark=None, py4j=None); sys.argv[1:] = ['--help'];"
    run = [sys.executable, "-c", f"{without} from dynamic_kafka.demo.__main__ import main; main()"]
    assert "--repository" in subprocess.run(run, check=True, capture_output=True, text=True).stdout
