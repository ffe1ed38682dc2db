"""Each alert has its section in `docs/runbook.md`, each condition its section in `docs/reference/errors.md`, and each
state its row in the runbook; `tests/shown.yml` names a test for each of them and for each metric."""

import re
from pathlib import Path

import yaml

from tests.monitoring.prometheus import alert_rules
from tests.promises.promised import ROOT

PAGE = ROOT / "docs" / "runbook.md"
ERRORS = ROOT / "docs" / "reference" / "errors.md"
SCALA = ROOT / "jvm" / "src" / "main" / "scala" / "io" / "github" / "dynamickafka" / "spark"
SHOWN = yaml.safe_load(Path(__file__).with_name("shown.yml").read_text())
NEEDED = ("**Means**", "**Look**", "**Do**", "**Do not**")


def part(page: Path, heading: str) -> str:
    """What stands below a heading of a page."""
    return page.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]


def sections(page: Path, heading: str) -> dict[str, str]:
    """The sections below a heading of a page, by their names."""
    return {one.partition("\n")[0]: one for one in part(page, heading).split("\n### ")[1:]}


def alerts() -> list[str]:
    return [rule["alert"] for rule in alert_rules()]


def conditions() -> list[str]:
    return re.findall(
        r'extends Condition\("(\w+)"\)',
        (SCALA / "errors" / "Condition.scala").read_text(),
    )


def states() -> list[str]:
    return re.findall(
        r'extends ClusterState\("(\w+)"\)',
        (SCALA / "metrics" / "ClusterState.scala").read_text(),
    )


def metrics() -> list[str]:
    return re.findall(
        r"^\| `([^`]+)` \|",
        (ROOT / "docs" / "reference" / "metrics.md").read_text(),
        re.MULTILINE,
    )


def test_each_alert_has_its_section_and_no_section_is_uncommitted() -> None:
    assert alerts()
    assert sorted(sections(PAGE, "Alerts")) == sorted(alerts())


def test_each_alert_has_what_it_means_what_to_look_at_what_to_do_and_what_not() -> None:
    found = sections(PAGE, "Alerts").items()
    lacking = {name: [one for one in NEEDED if text.count(f"- {one}") != 1] for name, text in found}
    assert {name: left for name, left in lacking.items() if left} == {}


def test_each_condition_has_its_section_and_no_section_is_uncommitted() -> None:
    assert sorted(sections(ERRORS, "Conditions")) == sorted(f"DYNAMIC_KAFKA_{name}" for name in conditions())


def test_each_condition_has_when_it_comes_and_what_to_do() -> None:
    found = {name: text.split("\n\n") for name, text in sections(ERRORS, "Conditions").items()}
    assert [name for name, parts in found.items() if not (parts[1] and parts[2].startswith("**Do**: "))] == []


def test_each_state_has_its_row_with_what_to_do_and_what_not() -> None:
    rows = [line.strip("| ").split(" | ") for line in part(PAGE, "States").splitlines() if line.startswith("| `")]
    assert sorted(row[0].strip("`") for row in rows) == sorted([*states(), "removed"])
    assert [row for row in rows if len(row) != 3 or not all(row)] == []


def test_no_section_stands_elsewhere() -> None:
    assert len(re.findall("^### ", PAGE.read_text(), re.MULTILINE)) == len(alerts())


def test_each_alert_links_to_its_section_on_the_site() -> None:
    # The oldest Python here has no reader of TOML.
    (site,) = re.findall(r'(?m)^Documentation = "(.+)"$', (ROOT / "python" / "pyproject.toml").read_text())
    links = {one["alert"]: one["annotations"]["runbook_url"] for one in alert_rules()}
    assert links == {name: f"{site}/runbook.md#{name.lower()}" for name in alerts()}


def test_what_shows_each_is_named() -> None:
    expected = {
        "metrics": [*metrics(), "watermark_lag_seconds"],
        "alerts": [name.removeprefix("DynamicKafka") for name in alerts()],
        "conditions": conditions(),
        "states": states(),
    }
    lacking = {part: sorted(set(names) - SHOWN[part].keys()) for part, names in expected.items()}
    uncommitted = {part: sorted(SHOWN[part].keys() - set(names)) for part, names in expected.items()}
    assert not any(lacking.values()), f"tests/shown.yml names no test for {lacking}"
    assert not any(uncommitted.values()), f"tests/shown.yml names what there is no more: {uncommitted}"
    for part in ("metrics", "alerts"):
        for name, test in SHOWN[part].items():
            file = test.partition("::")[0]
            path = file if "/" in file else f"tests/scenarios/{file}"
            assert name.rpartition(".")[2] in (ROOT / path).read_text(), f"{test} says nothing of {name}"
