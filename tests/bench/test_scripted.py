"""A goal that a test shows."""

from pathlib import Path

from bench import scripted
from bench.machine import Machine
from bench.readings import Readings
from bench.tables import report


def test_it_is_met_by_a_test_whose_name_says_so_and_by_no_other(tmp_path: Path) -> None:
    (tmp_path / "driver").mkdir()
    suite = tmp_path / "driver" / "OtherSuite.scala"
    suite.write_text('  test("a cluster is asked again after a minute of silence") {\n')
    assert scripted.outcome(tmp_path).met is None
    name = "a cluster that answers after an hour of silence is read within 5 s"
    (tmp_path / "driver" / "SickSuite.scala").write_text(f'  test(\n    "{name}"\n  ) {{\n')
    found = scripted.outcome(tmp_path)
    assert (found.met, found.shown_by) == (True, f"SickSuite :: {name}")
    assert f"| <= 5 |  |  | yes, by `SickSuite :: {name}` |" in report(Machine(()), [found], Readings())
