"""The main promises, kept by the wheel on each corner of the table of versions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cluster import KafkaClusters
from tests.matrix.corners import CORNERS, AbsentError, Corner, environment
from tests.readme import ROOT, Program

Name = Callable[[str], str]

PROGRAM = ROOT / "tests" / "matrix" / "smoke_program.py"
IN_FIRST, IN_SECOND = 30, 20
PATIENCE = 150


@pytest.mark.matrix
@pytest.mark.parametrize("corner", CORNERS, ids=str)
def test_the_main_promises_hold_on_this_corner(
    corner: Corner, wheel: Path, clusters: KafkaClusters, fresh_name: Name, tmp_path: Path
) -> None:
    try:
        python, variables = environment(corner, wheel)
    except AbsentError as absent:
        pytest.skip(f"{corner}: {absent}")
    listings = filled(clusters, fresh_name("orders"))
    (tmp_path / "listings.json").write_text(json.dumps(listings))
    with Program([str(python), str(PROGRAM), str(tmp_path), "listings.json"], tmp_path, variables) as program:
        assert program.end(within=PATIENCE) == 0, program.printed()[-6000:]
        found = json.loads(program.printed().splitlines()[-1])
    everything = sorted([f"a{n}" for n in range(IN_FIRST)] + [f"b{n}" for n in range(IN_SECOND)])
    read = ("followed", "restarted", "batch", "python service", "into parquet")
    assert {part: found[part] for part in read} == dict.fromkeys(read, everything)
    assert found["counted"] == {"A": IN_FIRST, "B": IN_SECOND}
    assert found["versions"] == [corner.spark, corner.java, corner.python]


def filled(clusters: KafkaClusters, topic: str) -> dict[str, object]:
    """Records on two clusters, and the texts that the program publishes one after the other."""
    entries = {}
    for name, count in (("a", IN_FIRST), ("b", IN_SECOND)):
        cluster = clusters.get(name)
        cluster.create_topic(topic, partitions=2)
        cluster.produce(topic, [(f"k{n}", f"{name}{n}") for n in range(count)])
        entries[name] = {"clusterId": name, "bootstrapServers": cluster.bootstrap_servers, "topics": [topic]}

    def listing(*names: str) -> str:
        listed = [entries[name] for name in names]
        return yaml.safe_dump([{"streamId": "orders", "clusterMetadataList": listed}])

    reached = {name: {"bootstrap": it["bootstrapServers"], "topics": it["topics"]} for name, it in entries.items()}
    sizes = {"one": IN_FIRST, "both": IN_FIRST + IN_SECOND}
    return {"one": listing("a"), "both": listing("a", "b"), "other": listing("b"), "clusters": reached, "sizes": sizes}
