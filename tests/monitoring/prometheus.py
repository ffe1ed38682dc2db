"""A real Prometheus with the alerts of `docker/monitoring`, and the exporter that it reads."""

import json
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from dynamic_kafka._brokers.ports import claim_port

from tests.cluster import NotYet, eventually
from tests.cluster.made_once import made_once
from tests.packages import jars_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docker" / "monitoring"
DASHBOARD = FOLDER / "grafana" / "dashboards" / "dynamic-kafka.json"

Series = dict[str, str]


def tool(name: str) -> str:
    """`prometheus` or `promtool`: the installed one, else that of Debian's package, unpacked and not installed."""
    installed = shutil.which(name)
    if installed:
        return installed
    # No package of Python, Node or the JVM has it, and `make test` promises to need Java, Python and make alone.
    if not shutil.which("apt-get"):
        pytest.skip(f"There is no {name}: install Prometheus.")
    return str(made_once("prometheus", _unpack) / "usr" / "bin" / name)


def _unpack(folder: Path) -> None:
    folder.mkdir()
    # Run by name: where apt-get and dpkg-deb are differs between systems.
    subprocess.run(["apt-get", "download", "prometheus"], cwd=folder, check=True, capture_output=True)  # noqa: S607
    (package,) = folder.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", str(package), str(folder)], check=True)  # noqa: S607
    package.unlink()


def exporter(address: str) -> str:
    """The option of a JVM that shows its metrics at this address, set up as in docs/monitoring.md."""
    (agent,) = jars_of("io.prometheus.jmx:jmx_prometheus_javaagent:1.0.1", "jmx_prometheus_javaagent-")
    return f"-javaagent:{agent}={address}:{FOLDER / 'jmx.yml'}"


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - of this machine
        return str(answer.read().decode())


def escaped(name: str) -> str:
    """As the plugin escapes ids."""

    def code(found: re.Match[str]) -> str:
        number = ord(found[0])
        return f"_{number:02x}" if number < 256 else f"_u{number:04x}"

    return re.sub("[^0-9A-Za-z]", code, name)


def lint(address: str) -> str:
    """What promtool finds wrong with the names and types of our metrics at the address of an exporter."""
    ours = [line for line in get(f"http://{address}/metrics").splitlines(keepends=True) if "dynamic_kafka_" in line]
    check = [tool("promtool"), "check", "metrics"]
    done = subprocess.run(check, input="".join(ours), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


class Prometheus:
    """One that runs."""

    def __init__(self, url: str) -> None:
        self._url = url

    def query(self, expression: str) -> list[tuple[Series, float]]:
        """The series of an expression, as of now."""
        found = self._ask("query", {"query": expression})["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def alerts(self) -> list[tuple[Series, dict[str, str]]]:
        """The labels and the annotations of each alert that fires."""
        found = self._ask("alerts", {})["alerts"]
        return [(one["labels"], one["annotations"]) for one in found if one["state"] == "firing"]

    def rule_errors(self) -> list[str]:
        """What went wrong when rules were evaluated last."""
        rules = [rule for group in self._ask("rules", {})["groups"] for rule in group["rules"]]
        return [f"{rule['name']}: {rule['lastError']}" for rule in rules if rule.get("lastError")]

    def scraped(self) -> bool:
        """Whether each target has answered, and all that it said was understood."""
        targets = self._ask("targets", {})["activeTargets"]
        errors = [target["lastError"] for target in targets if target["lastError"]]
        if errors:
            raise NotYet(str(errors))
        return bool(targets) and len(self.query("up == 1")) == len(targets)

    def _ask(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = json.loads(get(f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"))
        return dict(answer["data"])


def quick_rules(folder: Path) -> Path:
    """The alerts with the same conditions, in seconds: what is to last for minutes or an hour lasts for two seconds."""
    text = (FOLDER / "alerts.yml").read_text()
    for slow, quick in ((r"for: \d+[mh]", "for: 2s"), (r"\d+ \* 60\b", "5"), (r"\[15m\]", "[20s]")):
        text, found = re.subn(slow, quick, text)
        assert found, f"no alert has {slow}"
    file = folder / "quick-alerts.yml"
    file.write_text(text)
    return file


@contextmanager
def running(folder: Path, target: str, rules: Path = FOLDER / "alerts.yml") -> Iterator[Prometheus]:
    """A Prometheus that scrapes this address, as `docker/monitoring` has it but for address and interval."""
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "1s"}
    config["rule_files"] = [str(rules)]
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump(config))
    port = claim_port()
    address = f"127.0.0.1:{port.number}"
    storage = f"--storage.tsdb.path={folder / 'data'}"
    command = [tool("prometheus"), f"--config.file={file}", storage, f"--web.listen-address={address}"]
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        prometheus = Prometheus(f"http://{address}")
        eventually("Prometheus has scraped", lambda: _scraped(prometheus, process), within=30)
        yield prometheus
    finally:
        process.kill()
        process.wait()
        port.release()


def _scraped(prometheus: Prometheus, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        raise RuntimeError("Prometheus has ended: see prometheus.log")
    try:
        return prometheus.scraped()
    except OSError as error:
        raise NotYet(str(error)) from error


def dashboard_queries() -> dict[str, str]:
    """The queries of the dashboard by panel and letter, for all queries and clusters."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return {
        f"{panel['title']}, {target['refId']}": re.sub(r"\$\w+", ".*", target["expr"])
        for panel in panels
        for target in panel["targets"]
    }


def metrics_in(expressions: Iterable[str]) -> set[str]:
    """The names of our metrics in these expressions."""
    return {name for text in expressions for name in re.findall(r"\bdynamic_kafka_\w+", text)}


def alert_rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return list(group["rules"])
