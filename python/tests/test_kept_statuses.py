"""Status files of releases, kept in `tests/compat`, are read by this version's command line."""

from __future__ import annotations

from datetime import datetime, timezone

from checkpoints import COMPAT

from dynamic_kafka._status import QueryStatus, parse_status


def test_each_kept_status_is_read() -> None:
    kept = {file.parent.name: parse_status(file.name, file.read_bytes()) for file in COMPAT.glob("*/status.json")}
    assert kept
    assert {version for version, status in kept.items() if not isinstance(status, QueryStatus)} == set()


def test_the_status_that_0_1_0_wrote_is_read_as_it_was_meant() -> None:
    status = parse_status("7c1d.json", (COMPAT / "0.1.0" / "status.json").read_bytes())
    assert isinstance(status, QueryStatus)
    assert (status.query_id, status.name) == ("7c1d3a52-9a0c-4b0e-8a55-0d6a2f0a4a10", "orders-to-lake")
    assert (status.state, status.condition) == ("running", None)
    assert status.refused is not None
    assert status.refused["condition"] == "DYNAMIC_KAFKA_INVALID_METADATA"
    assert status.written == datetime(2026, 11, 22, 9, 1, tzinfo=timezone.utc)
    assert status.looked == datetime(2026, 11, 22, 9, 0, 58, tzinfo=timezone.utc)
    assert status.clusters is not None
    (cluster,) = status.clusters.values()
    assert (cluster.state, cluster.needs, cluster.pending) == ("draining", ("draining",), 1200)
    assert (cluster.kafka_id, cluster.deferred, cluster.uncommitted) == ("4L6g3nShT-eMCtK--X86sw", 0, 0)
