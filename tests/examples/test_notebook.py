"""The notebook of `examples/notebook`: its cells run on two real clusters, which its compose file names too."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cluster import KafkaCluster
from tests.cluster.versions import NEWEST
from tests.readme import IN_FIRST, IN_SECOND, ROOT, printed_by
from tests.wheel.environment import CLEAN

EXAMPLE = ROOT / "examples" / "notebook"
ADDRESSES = {"eu-1": "localhost:9092", "eu-2": "localhost:9192"}
PATIENCE = 180


def program() -> str:
    """All cells of code; what ends one is printed, as a notebook shows it."""
    cells = json.loads((EXAMPLE / "orders.ipynb").read_text())["cells"]
    return "\n".join(shown("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code")


def shown(cell: str) -> str:
    parsed = ast.parse(cell)
    last = parsed.body[-1]
    if isinstance(last, ast.Expr):
        parsed.body[-1] = ast.parse(f"print({ast.unparse(last)})").body[0]
    return ast.unparse(parsed)


@pytest.mark.slow
def test_each_cell_runs_and_the_stream_moves(orders: list[KafkaCluster], tmp_path: Path) -> None:
    texts = {"cells.py": program(), "streams.yaml": (EXAMPLE / "streams.yaml").read_text()}
    for name, text in texts.items():
        for address, cluster in zip(ADDRESSES.values(), orders, strict=True):
            text = text.replace(address, cluster.bootstrap_servers)
        (tmp_path / name).write_text(text)
    printed = printed_by([sys.executable, "cells.py"], tmp_path, CLEAN, within=PATIENCE)
    assert re.search(rf"\|\s*eu-1\|\s*{IN_FIRST}\|", printed)
    assert re.search(rf"\|\s*eu-2\|\s*{IN_SECOND}\|", printed)
    assert "orders, batch" in printed
    assert f"{IN_FIRST + IN_SECOND} rows, 0 of them more than once" in printed


def test_the_notebook_is_kept_without_results() -> None:
    notebook = json.loads((EXAMPLE / "orders.ipynb").read_text())
    assert [one["outputs"] for one in notebook["cells"] if one.get("outputs")] == []


def test_the_compose_file_has_the_clusters_and_addresses_of_the_notebook() -> None:
    services = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())["services"]
    brokers = {name: services[name] for name in ADDRESSES}
    assert {one["image"] for one in services.values()} == {f"apache/kafka:{NEWEST}"}
    for name, broker in brokers.items():
        advertised = broker["environment"]["KAFKA_ADVERTISED_LISTENERS"]
        assert advertised == f"INSIDE://{name}:19092,CLIENT://{ADDRESSES[name]}"
        (port,) = broker["ports"]
        assert port == f"127.0.0.1:{ADDRESSES[name].rpartition(':')[2]}:9092"
    listed = yaml.safe_load((EXAMPLE / "streams.yaml").read_text())[0]["clusterMetadataList"]
    assert {one["clusterId"]: one["bootstrapServers"] for one in listed} == {"eu-1": ADDRESSES["eu-1"]}
    assert ADDRESSES["eu-2"] in program()
    assert set(services["orders"]["depends_on"]) == set(ADDRESSES)


def test_the_shell_of_the_compose_file_parses() -> None:
    command = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())["services"]["orders"]["command"]
    *start, script = command
    subprocess.run([*start[:1], "-n", *start[1:], script.replace("$$", "$")], check=True)
