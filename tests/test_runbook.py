"""`docs/runbook.md` has a section for each alert, condition and state, and nothing else; `tests/shown.yml` names a test
for each of them and for each metric."""

import re
from pathlib import Path

import pytest
import yaml

from tests.monitoring.prometheus import alert_rules
from tests.promises.promised import ROOT, names_in

PAGE = ROOT / "docs" / "runbook.md"
SCALA = ROOT / "jvm" / "src" / "main" / "scala" / "io" / "github" / "dynamickafka" / "spark"
SHOWN = yaml.safe_load(Path(__file__).with_name("shown.yml").read_text())
NEEDED = ("**Means**", "**Look**", "**Do**", "**Do not**")


def sections(part: str) -> dict[str, str]:
    """The sections below a heading of the page, by their names."""
    text = PAGE.read_text().split(f"\n## {part}\n")[1].split("\n## ")[0]
    return {one.partition("\n")[0]: one for one in text.split("\n### ")[1:]}


def alerts() -> list[str]:
    return [rule["alert"] for rule in alert_rules()]


def conditions() -> list[str]:
    return re.findall(r'extends Condition\("(\w+)"\)', (SCALA / "errors" / "Condition.scala").read_text())


def states() -> list[str]:
    return re.findall(r'extends ClusterState\("(\w+)"\)', (SCALA / "metrics" / "ClusterState.scala").read_text())


def metrics() -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs" / "reference" / "metrics.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("part", "names"), [("Alerts", alerts()), ("Conditions", conditions()), ("States", states())])
def test_each_has_its_section_and_no_section_is_left_over(part: str, names: list[str]) -> None:
    assert names
    assert sorted(sections(part)) == sorted(names)


@pytest.mark.parametrize("part", ["Alerts", "Conditions", "States"])
def test_each_section_says_what_it_means_what_to_look_at_what_to_do_and_what_not(part: str) -> None:
    lacking = {name: [one for one in NEEDED if text.count(f"- {one}") != 1] for name, text in sections(part).items()}
    assert {name: left for name, left in lacking.items() if left} == {}


def test_no_section_stands_elsewhere() -> None:
    assert len(re.findall("^### ", PAGE.read_text(), re.MULTILINE)) == len([*alerts(), *conditions(), *states()])


def test_each_alert_links_to_its_section() -> None:
    wrong = [one["alert"] for one in alert_rules() if one["annotations"]["runbook"] != link(one["alert"])]
    assert wrong == []


def link(name: str) -> str:
    return f"docs/runbook.md#{name.lower()}"


def test_each_condition_of_the_reference_links_to_its_section() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text()
    assert [name for name in conditions() if f"(../runbook.md#{name.lower()})" not in page] == []


def test_what_shows_each_is_named_and_exists() -> None:
    expected = {
        "metrics": [*metrics(), "watermarkLag"],
        "alerts": [name.removeprefix("DynamicKafka") for name in alerts()],
        "conditions": conditions(),
        "states": states(),
    }
    lacking = {part: sorted(set(names) - SHOWN[part].keys()) for part, names in expected.items()}
    left_over = {part: sorted(SHOWN[part].keys() - set(expected.get(part, ()))) for part in SHOWN}
    assert not any(lacking.values()), f"tests/shown.yml names no test for {lacking}"
    assert not any(left_over.values()), f"tests/shown.yml names what there is no more: {left_over}"
    for part, shown in SHOWN.items():
        for name, test in shown.items():
            file, _, case = test.partition("::")
            path = file if "/" in file else f"tests/scenarios/{file}"
            assert case in names_in(path), f"{part}: {name}: {test}"
            if part in ("metrics", "alerts"):
                assert name.rpartition(".")[2] in (ROOT / path).read_text(), f"{test} says nothing of {name}"
