"""The commands of `dynamic-kafka` that ask clusters, on real ones."""

import itertools
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AclOperation
from dynamic_kafka import ClusterMetadata

from tests.cluster import KafkaCluster, eventually
from tests.compat.kept import unpacked
from tests.readme import ROOT
from tests.scenarios.commands import command, printed
from tests.scenarios.conftest import Name
from tests.scenarios.listing import FileListing, on
from tests.scenarios.producing import numbered, write
from tests.scenarios.queries import Running
from tests.scenarios.scene import Scene
from tests.scenarios.session import KAFKA_PASSWORD

NOWHERE = "127.0.0.1:1"


def cells(text: str) -> list[list[str]]:
    """The rows of a printed table, the heading first. Below it is a line, below the table an empty one."""
    lines = text.splitlines()
    (rule,) = (number for number, line in enumerate(lines) if set(line.strip()) == {"─"})
    below = itertools.takewhile(str.strip, lines[rule + 1 :])
    return [re.split(r"\s{2,}", line.strip()) for line in (lines[rule - 1], *below)]


def section(command: str) -> str:
    """The part of docs/command-line.md about a command."""
    return (ROOT / "docs" / "command-line.md").read_text().split(f"\n## {command}\n")[1].split("\n## ")[0]


def on_the_page(command: str) -> list[list[str]]:
    """The table below a command of docs/command-line.md."""
    page = (ROOT / "docs" / "command-line.md").read_text()
    return cells(page[page.index(f"$ dynamic-kafka {command} ") :].partition("```")[0])


def conditions(cluster: Mapping[str, Any]) -> list[str]:
    return [problem["condition"].removeprefix("DYNAMIC_KAFKA_") for problem in cluster["problems"]]


@pytest.fixture
def partitions_of_topic() -> int:
    return 2


class Ailing:
    """Clusters with one ill each, in a file."""

    def __init__(self, a: KafkaCluster, b: KafkaCluster, guarded: KafkaCluster, topic: str, fresh_name: Name) -> None:
        self.described, self.hidden, self.missing = (fresh_name(kind) for kind in ("described", "hidden", "missing"))
        user = fresh_name("user")
        for name in (self.described, self.hidden):
            guarded.create_topic(name)
        guarded.add_user(user, "password")
        guarded.allow(user, AclOperation.DESCRIBE, self.described)
        wrong = guarded.properties("reader")
        wrong["sasl.jaas.config"] = wrong["sasl.jaas.config"].replace(KAFKA_PASSWORD, "another")
        self.clusters = {
            "dead": ClusterMetadata([topic], bootstrap_servers=NOWHERE),
            "good": on(a, topic),
            "no-rights": ClusterMetadata([self.described, self.hidden], guarded.properties(user)),
            "no-topic": on(b, topic, self.missing),
            "wrong-password": ClusterMetadata([self.described], wrong),
        }


@pytest.mark.wire
def test_validate_names_a_wrong_password_each_missing_right_a_missing_topic_and_a_dead_broker_at_once(
    a: KafkaCluster, b: KafkaCluster, guarded: KafkaCluster, topic: str, file: FileListing, fresh_name: Name
) -> None:
    ailing = Ailing(a, b, guarded, topic, fresh_name)
    file.publish("orders", ailing.clusters)
    # On a busy machine one that answers may need longer.
    for limit in ("5s", "20s", "60s"):
        code, found = command("validate", file.path, "--connect", "--timeout", limit)
        if [one["cluster"] for one in found["clusters"] if not one["brokers"]] == ["dead"]:
            break
    assert (code, found["problems"]) == (1, [])
    by_id = {one["cluster"]: one for one in found["clusters"]}
    assert {id_: (one["brokers"], one.get("credentials"), conditions(one)) for id_, one in by_id.items()} == {
        "dead": (False, None, ["CLUSTER_UNREACHABLE"]),
        "good": (True, True, []),
        "no-rights": (True, True, ["NOT_AUTHORIZED"]),
        "no-topic": (True, True, ["TOPIC_NOT_FOUND"]),
        "wrong-password": (True, False, ["AUTHENTICATION_FAILED"]),
    }
    assert by_id["no-topic"]["missingTopics"] == [ailing.missing]
    lacking = {(one["topic"], one["operation"]) for one in by_id["no-rights"]["missingPermissions"]}
    assert lacking == {(ailing.described, "READ"), (ailing.hidden, "DESCRIBE"), (ailing.hidden, "READ")}
    assert (by_id["good"]["kafkaId"], by_id["good"]["partitions"]) == (a.kafka_id, 2)
    assert [row[:3] for row in cells(printed("validate", file.path, "--connect", "--timeout", limit))] == [
        row[:3] for row in cells(section("validate"))
    ]


def test_validate_finds_one_kafka_cluster_under_two_ids(a: KafkaCluster, topic: str, file: FileListing) -> None:
    file.publish("orders", {"eu-1": on(a, topic), "eu-2": on(a, topic)})
    code, found = command("validate", file.path, "--connect")
    assert code == 1
    assert [conditions(one) for one in found["clusters"]] == [[], ["CLUSTER_DUPLICATED"]]
    file.publish("orders", {"eu-1": on(a, topic), "eu-2": on(a, topic, continues="eu-1")})
    assert command("validate", file.path, "--connect")[0] == 0


def stopped(running: Running) -> None:
    running.stop_between_batches()
    running.is_not_looked_at_again("what is written now is not read")


def rows(found: Any) -> dict[str, Any]:
    return {row["cluster"]: row for row in found["rows"]}


@pytest.mark.slow
def test_lag_counts_records_and_time_and_a_dead_cluster_is_a_row_with_its_cause(
    a: KafkaCluster, b: KafkaCluster, topic: str, file: FileListing, filed: Scene
) -> None:
    both = {"a": on(a, topic), "b": on(b, topic)}
    filed.publish("orders", both)
    expected = write(a, topic, "1") + write(b, topic, "2")
    running = filed.start(filed.read("orders").load())
    running.await_values(expected)

    def lag(*more: str) -> tuple[int, dict[str, Any]]:
        code, found = command("lag", running.checkpoint, "--streams", file.path, *more)
        return code, rows(found)

    def known() -> list[int]:
        return [row["records"] for row in lag()[1].values()]

    eventually("nothing is to be read of a running query", known, until=lambda seen: seen == [0, 0], within=60)
    stopped(running)
    began = time.time()
    write(a, topic, *numbered("later ", 7), partition=1)
    code, seen = lag()
    assert (code, seen["a"]["records"], seen["b"]["records"]) == (0, 7, 0)
    assert 0 <= seen["a"]["timeLagMs"] <= (time.time() - began) * 1000
    assert "timeLagMs" not in seen["b"]
    assert seen["a"]["partitions"]["1"]["records"] == 7
    shown, page = cells(printed("lag", running.checkpoint, "--streams", file.path)), on_the_page("lag")
    assert shown[0] == page[0]
    assert [row[:5] for row in shown[1:]] == [["a", topic, "read", "2", "7"], ["b", topic, "read", "2", "0"]]
    assert [[*row[2:5]] for row in page[1:]] == [row[2:5] for row in shown[1:]]
    assert all(re.fullmatch(r"\d+ s", row[5]) for row in (*shown[1:], *page[1:]))
    assert lag("--max-records", "6")[0] == 1
    assert lag("--max-records", "7")[0] == 0
    points_out_what_is_wrong(a, topic, file, running)


def points_out_what_is_wrong(a: KafkaCluster, topic: str, file: FileListing, running: Running) -> None:
    """What `lag` says of a dead cluster, one known by another name, a missing topic, and a stream misspelled."""
    others = {"b": ClusterMetadata([topic], bootstrap_servers=NOWHERE), "c": on(a, topic, "nowhere")}
    file.publish("orders", {"a": on(a, topic), **others})
    # On a busy machine one that answers may need longer.
    for limit in ("4s", "20s", "60s"):
        code, found = command("lag", running.checkpoint, "--streams", file.path, "--timeout", limit)
        seen = rows(found)
        if "records" in seen["a"]:
            break
    assert (code, seen["a"]["records"], "records" in seen["b"]) == (1, 7, False)
    assert conditions(seen["b"]) == ["CLUSTER_UNREACHABLE"]
    begins = {row["topic"]: (row["state"], conditions(row)) for row in found["rows"] if row["cluster"] == "c"}
    assert begins == {topic: ("waiting", ["CLUSTER_DUPLICATED"]), "nowhere": ("waiting", ["TOPIC_NOT_FOUND"])}
    file.publish("ordres", {"a": on(a, topic)})
    code, found = command("lag", running.checkpoint, "--streams", file.path)
    assert (code, conditions(rows(found)["b"])) == (1, ["CLUSTER_NOT_LISTED"])
    none = "The file has no stream orders, so a query that names it reads nothing new of it."
    assert found["notices"] == [f"{none} It has stream ordres: is that a typing error?"]


def sparks_checkpoint(folder: Path, fresh_name: Name) -> dict[str, str]:
    """Has orders at 4 and 5, refunds at 3, and knows one partition of refunds alone. Returns the topics' names."""
    topics = {"orders": fresh_name("orders"), "refunds": fresh_name("refunds")}
    unpacked("3.5", "single", folder)
    for entry in (folder / "offsets").iterdir():
        text = entry.read_text()
        for old, new in topics.items():
            text = text.replace(f'"{old}"', f'"{new}"')
        entry.write_text(text)
    return topics


def test_lag_of_a_checkpoint_of_sparks_own_source(
    a: KafkaCluster, file: FileListing, tmp_path: Path, fresh_name: Name
) -> None:
    topics = sparks_checkpoint(tmp_path / "kept", fresh_name)
    for name in topics.values():
        a.create_topic(name, partitions=2)
        for partition in range(2):
            write(a, name, *numbered(f"{name} ", 7), partition=partition)
    file.publish("orders", {"eu-1": on(a, *topics.values())})
    code, found = command("lag", tmp_path / "kept", "--streams", file.path)
    assert code == 0
    assert {row["topic"]: row["records"] for row in found["rows"]} == {topics["orders"]: 5, topics["refunds"]: 11}
    assert all(row["timeLagMs"] >= 0 for row in found["rows"])


def test_lag_reports_positions_that_the_log_does_not_have(
    a: KafkaCluster, file: FileListing, tmp_path: Path, fresh_name: Name
) -> None:
    topics = sparks_checkpoint(tmp_path / "kept", fresh_name)
    for name in topics.values():
        a.create_topic(name, partitions=1)
        write(a, name, *numbered(f"{name} ", 3))
    file.publish("orders", {"eu-1": on(a, *topics.values())})
    code, found = command("lag", tmp_path / "kept", "--streams", file.path)
    assert (code, {row["topic"]: conditions(row) for row in found["rows"]}) == (
        1,
        {topics["orders"]: ["DATA_LOSS", "INVALID_OPTION"], topics["refunds"]: []},
    )
    assert "has no partition 1" in found["rows"][0]["problems"][0]["text"]


def test_diff_that_asks_the_clusters_counts_the_records_that_the_query_then_reads(
    a: KafkaCluster, b: KafkaCluster, topic: str, file: FileListing, filed: Scene, tmp_path: Path
) -> None:
    filed.publish("orders", {"a": on(a, topic)})
    expected = write(a, topic, "1")
    running = filed.start(filed.read("orders").load())
    running.await_values(expected)
    stopped(running)
    write(a, topic, *numbered("left ", 5))
    write(b, topic, *numbered("there ", 3))
    new = FileListing(tmp_path / "new.yaml")
    new.publish("orders", {"b": on(b, topic)})
    code, found = command("diff", file.path, new.path, "--checkpoint", running.checkpoint, "--connect")
    assert code == 1
    assert [(one["cluster"], one["effect"], one["records"]) for one in found["effects"]] == [
        ("a", "drains", 5),
        ("b", "starts", 3),
    ]
