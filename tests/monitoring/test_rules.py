"""The alerts and the dashboard of `docker/monitoring`, by `promtool`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.monitoring.prometheus import FOLDER, ROOT, alert_rules, dashboard_queries, metrics_in, tool
from tests.pages import anchors

CASES = Path(__file__).with_name("alerts.test.yml")
ROW = re.compile(r"^\| (.+?) \|", re.MULTILINE)


def promtool(*arguments: str, folder: Path) -> str:
    """What it prints; fails with that if it finds anything wrong."""
    done = subprocess.run([tool("promtool"), *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The alerts, and their cases beside them."""
    shutil.copy(FOLDER / "alerts.yml", tmp_path)
    shutil.copy(CASES, tmp_path)
    return tmp_path


def test_the_configuration_is_valid() -> None:
    assert f"{len(alert_rules())} rules found" in promtool("check", "config", "prometheus.yml", folder=FOLDER)


def test_each_alert_fires_and_clears(folder: Path) -> None:
    promtool("test", "rules", CASES.name, folder=folder)


def test_each_alert_has_a_case_in_which_it_fires_and_a_later_moment_at_which_it_does_not() -> None:
    cases = [one for test in yaml.safe_load(CASES.read_text())["tests"] for one in test["alert_rule_test"]]
    for rule in alert_rules():
        mine = [bool(case.get("exp_alerts")) for case in cases if case["alertname"] == rule["alert"]]
        assert True in mine, rule["alert"]
        assert mine[-1] is False, rule["alert"]


def test_a_broken_rule_fails(folder: Path) -> None:
    file = folder / "alerts.yml"
    file.write_text(file.read_text().replace('{state="unavailable"}', '{state="gone"}'))
    with pytest.raises(AssertionError, match="DynamicKafkaClusterUnavailable"):
        promtool("test", "rules", CASES.name, folder=folder)


def test_the_dashboards_queries_are_valid(tmp_path: Path) -> None:
    rules = [{"record": f"panel_{number}", "expr": one} for number, one in enumerate(dashboard_queries().values())]
    assert len(rules) > 10
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    promtool("check", "rules", "queries.yml", folder=tmp_path)


def documented() -> set[str]:
    """The metrics in the tables of docs/reference/metrics.md and docs/monitoring.md."""
    pages = "".join((ROOT / "docs" / page).read_text() for page in ("reference/metrics.md", "monitoring.md"))
    named = {name for row in ROW.findall(pages) for name in re.findall(r"`([\w.<>]+)`", row)}
    of_queries = {name.rpartition(".")[2] for name in named if name.startswith("query.") and "cluster" not in name}
    return named | of_queries | {"cluster.<id>.state", "cluster.<id>.cause"}


def test_alerts_and_dashboard_use_metrics_that_are_documented() -> None:
    expressions = [*dashboard_queries().values(), *(rule["expr"] for rule in alert_rules())]
    names = [name.removeprefix("dynamic_kafka_") for name in metrics_in(expressions)]
    used = {re.sub("^cluster_", "cluster.<id>.", name) for name in names}
    assert len(used) > 10
    assert used - documented() == set()


def test_each_alert_links_to_a_section_that_is_there() -> None:
    for rule in alert_rules():
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert anchor in anchors(ROOT / page), rule["alert"]
