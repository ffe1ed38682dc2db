"""`examples/kubernetes`: what its files share is the same in each, and its query runs."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster import KafkaCluster, eventually
from tests.readme import IN_FIRST, IN_SECOND, ROOT, Program, examples
from tests.scenarios.listing import FileListing, on
from tests.schema.test_streams_schema import problems
from tests.wheel.environment import CLEAN

FOLDER = ROOT / "examples" / "kubernetes"
PATIENCE = 90


def described(file: str) -> Any:
    return yaml.safe_load((FOLDER / file).read_text())


def essence_of_kubeflow() -> dict[str, Any]:
    spec = described("kubeflow.yaml")["spec"]
    driver = spec["driver"]
    return {
        "image": spec["image"],
        "spark": spec["sparkVersion"],
        "program": spec["mainApplicationFile"],
        "arguments": spec["arguments"],
        "java options": spec["sparkConf"]["spark.driver.extraJavaOptions"],
        "labels": driver["labels"],
        "volumes": spec["volumes"],
        **{key: driver[key] for key in ("ports", "volumeMounts")},
    }


def essence_of_apache() -> dict[str, Any]:
    spec = described("apache.yaml")["spec"]
    pod = spec["driverSpec"]["podTemplateSpec"]
    (driver,) = pod["spec"]["containers"]
    return {
        "image": spec["sparkConf"]["spark.kubernetes.container.image"],
        "spark": spec["runtimeVersions"]["sparkVersion"],
        "program": spec["pyFiles"],
        "arguments": spec["driverArgs"],
        "java options": spec["sparkConf"]["spark.driver.extraJavaOptions"],
        "labels": pod["metadata"]["labels"],
        "volumes": pod["spec"]["volumes"],
        **{key: driver[key] for key in ("ports", "volumeMounts")},
    }


def test_both_operators_start_the_same_query() -> None:
    assert essence_of_kubeflow() == essence_of_apache()


def test_the_config_map_has_a_file_of_streams_where_the_query_looks_for_it() -> None:
    query, streams = essence_of_kubeflow(), described("config-map.yaml")
    ((file, text),) = streams["data"].items()
    assert problems(text) == []
    (volume,) = (one["name"] for one in query["volumes"] if one.get("configMap") == streams["metadata"])
    (mount,) = (one for one in query["volumeMounts"] if one["name"] == volume)
    assert "subPath" not in mount
    assert query["arguments"][0] == f"{mount['mountPath']}/{file}"
    folders = {one["mountPath"] for one in query["volumeMounts"]}
    assert {str(Path(path).parent) for path in re.findall(r"\$\{file:(.+?)\}", text)} <= folders


def test_prometheus_finds_the_driver_and_the_port_of_the_exporter() -> None:
    query, monitor = essence_of_kubeflow(), described("pod-monitor.yaml")["spec"]
    assert {"spark-role": "driver", **query["labels"]} == monitor["selector"]["matchLabels"]
    (port,) = query["ports"]
    assert [one["port"] for one in monitor["podMetricsEndpoints"]] == [port["name"]]
    assert f"={port['containerPort']}:" in query["java options"]


def test_the_image_has_the_files_that_the_driver_starts_with() -> None:
    query, image = essence_of_kubeflow(), (FOLDER / "Dockerfile").read_text()
    (copies,) = re.findall(r"^COPY (.+) /opt/orders/$", image, re.MULTILINE)
    named = [query["program"].removeprefix("local://"), *re.findall(r"/opt/orders/[\w.-]+", query["java options"])]
    assert {Path(one).name for one in named} == set(copies.split())
    assert f"FROM apache/spark:{query['spark']}-" in image


def test_the_command_of_the_readme_makes_a_rule_of_the_alerts() -> None:
    (command,) = (one for one in "\n".join(examples("sh", FOLDER / "README.md")).splitlines() if "sed" in one)
    piped = ["/bin/bash", "-c", command.removesuffix(" | kubectl apply -f -")]
    printed = subprocess.run(piped, cwd=FOLDER, capture_output=True, text=True, check=True)
    alerts = yaml.safe_load((ROOT / "docker" / "monitoring" / "alerts.yml").read_text())
    rule = yaml.safe_load(printed.stdout)
    assert (rule["kind"], rule["spec"]) == ("PrometheusRule", alerts)


@pytest.mark.matrix
def test_the_query_runs_from_the_wheel_and_follows_the_config_map(
    environment: Path, orders: list[KafkaCluster], tmp_path: Path
) -> None:
    shutil.copy(FOLDER / "copy_orders.py", tmp_path)
    first, second = orders
    listing = FileListing(tmp_path / "streams.yaml")
    listing.publish("orders", {"eu-1": on(first, "orders")})
    command = [
        str(environment),
        "copy_orders.py",
        str(listing.path),
        str(tmp_path / "checkpoint"),
        str(tmp_path / "orders"),
    ]
    with Program(command, tmp_path, CLEAN) as program:
        eventually("eu-1 is read", program.read_from, until=lambda seen: seen == {"eu-1": IN_FIRST}, within=PATIENCE)
        listing.publish("orders", {"eu-1": on(first, "orders"), "eu-2": on(second, "orders")})
        both = {"eu-1": IN_FIRST, "eu-2": IN_SECOND}
        eventually("eu-2 is read, too", program.read_from, until=lambda seen: seen == both, within=PATIENCE)
