"""MirrorMaker 2: a new query begins on the mirror where a group stood on the source. `dynamic-kafka mirror`."""

import base64
import json
import struct
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster, KafkaClusters, Record, eventually
from tests.readme import ROOT
from tests.scenarios.commands import command, printed
from tests.scenarios.conftest import Name, Source
from tests.scenarios.consuming import subscribed, taken
from tests.scenarios.listing import FileListing, on
from tests.scenarios.mirrormaker import IDENTITY, mirroring, raw_records
from tests.scenarios.producing import IdProducer, numbered, write
from tests.scenarios.queries import values
from tests.scenarios.scene import Scene

pytestmark = pytest.mark.slow

# Records of a topic of checkpoints, made by MirrorMaker 2's own class `Checkpoint` of Kafka 4.3.1. In Base64, each with
# key and value. The long test below leaves those of its run in `build`, in the same form.
KEPT = Path(__file__).with_name("mirrormaker_checkpoints.json")
GROUP, COPY = "billing", "eu-1.orders"
PARTITIONS = 2


@pytest.mark.long
@pytest.mark.parametrize(("policy", "behind"), [("default", 1500), ("identity", 60)])
def test_on_the_mirror_nothing_is_left_out_that_the_group_had_not_read_and_little_comes_again(
    policy: str, behind: int, own_clusters: KafkaClusters, file: FileListing, filed: Scene, tmp_path: Path
) -> None:
    eu_1, eu_2 = own_clusters.start("eu-1", "eu-2")
    copy = COPY if policy == "default" else "orders"
    eu_1.create_topic("orders", partitions=PARTITIONS)
    more = {"replication_policy_class": IDENTITY} if policy == "identity" else {}
    with mirroring(eu_1, eu_2, "orders", GROUP, tmp_path, **more) as process:
        with IdProducer((eu_1, "orders")) as ids:
            with subscribed(eu_1, GROUP, "orders", enable_auto_commit=False) as consumer:
                read = taken(consumer, 900)
                consumer.commit(asynchronous=False)
            ids.await_more(behind)
        assert process.runs()
        file.publish("orders", {"eu-2": on(eu_2, copy)})
        found = await_mirrored(eu_1, eu_2, copy, file)
    eu_1.kill()
    assert found["policy"] == policy
    keep(raw_records(eu_2, "eu-1.checkpoints.internal"), policy)
    for start in (found["startingOffsets"], {"committed": GROUP, "otherwise": "earliest"}):
        running = filed.start(filed.read("orders").starting_offsets(start).load())
        running.await_among((Counter(ids.written()) - Counter(read)).elements())
        again = Counter(running.values()) & Counter(read)
        print(f"{policy}: {len(ids.written())} ids, {len(read)} read by the group, {again.total()} come again")
        # What lies behind the group is what its place is rounded by, and the distance of two places that it knows.
        assert again.total() <= 2 * behind + 100 * PARTITIONS
        running.await_values([*(Counter(ids.written()) - Counter(read)).elements(), *again])


def await_mirrored(source: KafkaCluster, mirror: KafkaCluster, copy: str, file: FileListing) -> dict[str, Any]:
    """What the command says once all is copied, and the checkpoints are of the group's last commits."""
    ends, committed = source.end_offsets("orders"), source.committed(GROUP, "orders")
    assert len(committed) == PARTITIONS
    there = eventually("the copy is there", lambda: copy in mirror.topics(), within=120)
    eventually("all is copied", lambda: there and mirror.end_offsets(copy), until=ends.__eq__, within=120)

    def look() -> dict[str, Any]:
        code, found = command("mirror", "eu-2", "--streams", file.path, "--source-alias", "eu-1", "--group", GROUP)
        at = {one["partition"]: one["upstreamOffset"] for one in found.get("checkpoints", ())}
        assert (code, at) == (0, committed), found
        offsets = {one["partition"]: one["offset"] for one in found["checkpoints"]}
        assert mirror.committed(GROUP, copy) == offsets
        return dict(found)

    return eventually("the last commits are on the mirror", look, within=120, every=1)


def keep(records: Sequence[tuple[bytes | None, bytes | None]], policy: str) -> None:
    texts = [[base64.b64encode(part or b"").decode() for part in record] for record in records]
    (ROOT / "build" / f"{policy}-{KEPT.name}").write_text(json.dumps(texts, indent=0) + "\n")


def kept() -> list[tuple[bytes, bytes]]:
    return [(base64.b64decode(key), base64.b64decode(value)) for key, value in json.loads(KEPT.read_text())]


def last_of(records: Sequence[tuple[bytes, bytes]]) -> dict[int, tuple[int, int]]:
    """By partition, the offsets of its last checkpoint, on the source and on the mirror; read beside what is tested."""
    found: dict[int, tuple[int, int]] = {}
    for key, value in records:
        upstream, offset = struct.unpack_from(">qq", value, 2)
        found[struct.unpack(">i", key[-4:])[0]] = (upstream, offset)
    return found


@pytest.fixture
def mirror(b: KafkaCluster, file: FileListing) -> KafkaCluster:
    """A cluster that has the copy of a topic, and is listed with it as `eu-2`."""
    if COPY not in b.topics():
        b.create_topic(COPY, partitions=PARTITIONS)
        most = max(offset for _, offset in last_of(kept()).values())
        for partition in range(PARTITIONS):
            write(b, COPY, *numbered(f"{partition}-", most + 3), partition=partition)
    file.publish("orders", {"eu-2": on(b, COPY)})
    return b


def checkpoints(cluster: KafkaCluster, fresh_name: Name, *more: tuple[bytes | None, bytes | None]) -> str:
    """A topic with the kept records, and whatever else is given."""
    topic = fresh_name("checkpoints")
    cluster.create_topic(topic)
    cluster.produce(topic, [Record(*record) for record in (*kept(), *more)])
    return topic


def asked(file: FileListing, group: str, topic: str, *more: str) -> tuple[str | Path, ...]:
    arguments = ("--source-alias", "eu-1", "--group", group, "--checkpoints", topic)
    return ("mirror", "eu-2", "--streams", file.path, *arguments, *more)


def test_the_last_checkpoint_of_each_partition_is_where_a_query_begins(
    mirror: KafkaCluster, file: FileListing, source: Source, fresh_name: Name
) -> None:
    topic, expected = checkpoints(mirror, fresh_name), last_of(kept())
    assert len(kept()) > len(expected) == PARTITIONS
    code, found = command(*asked(file, GROUP, topic))
    assert (code, found["policy"], found["mayRepeat"], found["findings"]) == (0, "default", True, [])
    seen = {one["partition"]: (one["upstreamOffset"], one["offset"]) for one in found["checkpoints"]}
    assert seen == expected
    read = source(file.service, "orders").starting_offsets(found["startingOffsets"]).bounded()
    ends = mirror.end_offsets(COPY)
    assert values(read.load().collect()) == sorted(
        f"{number}-{offset}" for number, (_, first) in expected.items() for offset in range(first, ends[number])
    )
    assert json.loads(printed(*asked(file, GROUP, topic))) == found["startingOffsets"]


def test_what_is_no_checkpoint_of_the_group_is_said_and_another_version_is_not_read(
    mirror: KafkaCluster, file: FileListing, fresh_name: Name
) -> None:
    key, value = kept()[-1]
    newer = b"\0\1" + value[2:]

    def refused(group: str, topic: str) -> tuple[str, str]:
        code, found = command(*asked(file, group, topic))
        assert code == 2
        return found["error"]["condition"].removeprefix("DYNAMIC_KAFKA_"), found["error"]["message"]

    condition, text = refused("others", checkpoints(mirror, fresh_name))
    assert (condition, f"It has those of {GROUP}." in text) == ("INVALID_OPTION", True)
    condition, text = refused(GROUP, "eu-9.checkpoints.internal")
    assert (condition, "has no topic" in text or "has no eu-9" in text) == ("TOPIC_NOT_FOUND", True)
    condition, text = refused(GROUP, checkpoints(mirror, fresh_name, (key, newer)))
    assert (condition, "it has version 1, and this release knows 0" in text) == ("OFFSET_VERSION", True)
    # One that a later record replaces is not looked at.
    assert command(*asked(file, GROUP, checkpoints(mirror, fresh_name, (key, newer), (key, value))))[0] == 0
    condition, text = refused(GROUP, checkpoints(mirror, fresh_name, (None, b"no checkpoint")))
    assert (condition, "its key: it is empty" in text) == ("OFFSET_VERSION", True)


def test_a_partition_without_a_checkpoint_and_other_names_on_the_mirror_are_to_decide(
    mirror: KafkaCluster, file: FileListing, fresh_name: Name
) -> None:
    key, _ = kept()[-1]
    (number,) = struct.unpack(">i", key[-4:])
    # An empty value takes a checkpoint away.
    topic = checkpoints(mirror, fresh_name, (key, None))
    code, found = command(*asked(file, GROUP, topic))
    (finding,) = found["findings"]
    assert (code, f"{COPY} has no checkpoint of the group for partition {number}." in finding) == (1, True)
    other = fresh_name("orders")
    mirror.create_topic(other)
    file.publish("orders", {"eu-2": on(mirror, other)})
    code, found = command(*asked(file, GROUP, topic))
    assert code == 2
    assert f"It lists {other}; the group has those of {COPY}." in found["error"]["message"]


def test_a_mirror_that_refuses_the_login_or_is_dead_is_exit_code_2_and_no_secret_is_shown(
    guarded: KafkaCluster, file: FileListing, fresh_name: Name
) -> None:
    wrong = guarded.properties("reader")
    wrong["sasl.jaas.config"] = wrong["sasl.jaas.config"].replace("reader", "nobody")
    for cluster, expected in (
        (ClusterMetadata([COPY], wrong), "AUTHENTICATION_FAILED"),
        (ClusterMetadata([COPY], bootstrap_servers="127.0.0.1:1"), "CLUSTER_UNREACHABLE"),
    ):
        file.publish("orders", {"eu-2": cluster})
        code, found = command(*asked(file, GROUP, "eu-1.checkpoints.internal", "--timeout", "5s"))
        assert (code, found["error"]["condition"]) == (2, f"DYNAMIC_KAFKA_{expected}")
