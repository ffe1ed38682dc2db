"""The alerts and the dashboard of `docker/monitoring`, by `promtool`."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.monitoring.prometheus import FOLDER, ROOT, alert_rules, dashboard_queries, metrics_in, tool

CASES = Path(__file__).with_name("alerts.test.yml")


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


def test_alerts_and_dashboard_use_metrics_that_are_documented() -> None:
    pages = "".join((ROOT / "docs" / page).read_text() for page in ("reference/metrics.md", "monitoring.md"))
    used = metrics_in([*dashboard_queries().values(), *map(str, alert_rules())])
    assert len(used) > 10
    assert {name for name in used if f"`{name}` |" not in pages} == set()
