"""A pytest plugin: three clusters for a run, names nobody else has, and logs kept of what failed."""

import contextlib
import itertools
import re
import shutil
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.cluster.clusters import KafkaClusters
from tests.cluster.versions import chosen_version

KEPT = Path(__file__).resolve().parents[2] / "build" / "test-logs"
_FAILED = pytest.StashKey[bool]()
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def started_clusters() -> Iterator[KafkaClusters]:
    """Clusters `a`, `b` and `c`, started when the first test asks. Tests ask for ``clusters``."""
    with KafkaClusters() as clusters:
        clusters.start("a", "b", "c")
        yield clusters


@pytest.fixture
def clusters(started_clusters: KafkaClusters, request: pytest.FixtureRequest) -> Iterator[KafkaClusters]:
    """Clusters `a`, `b` and `c`, shared by all tests and all up, whatever the test before did to them."""
    started_clusters.heal()
    yield started_clusters
    if has_failed(request.node):
        started_clusters.keep_logs(kept_folder(request.node))


@pytest.fixture
def own_clusters(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[KafkaClusters]:
    """No clusters yet: for a test that starts its own, with settings of its own, and has them closed afterwards."""
    with KafkaClusters(tmp_path / "clusters") as clusters:
        yield clusters
        if has_failed(request.node):
            clusters.keep_logs(kept_folder(request.node))


@pytest.fixture
def fresh_name() -> Callable[[str], str]:
    """Makes names of topics, streams and groups that no other test has: ``fresh_name("orders")``."""
    return lambda prefix: f"{prefix}-{next(_NUMBERS)}-{uuid.uuid4().hex[:6]}"


def pytest_report_header() -> str:
    """Says which Kafka the brokers are of, where a test asks for none."""
    return f"brokers: Kafka {chosen_version()}"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Clears away what an earlier run kept, before the processes begin that this one may be shared among."""
    if not hasattr(session.config, "workerinput"):
        shutil.rmtree(KEPT, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Notes a failure where the fixtures look for it, and keeps the folder that the test had for itself."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        own = getattr(item, "funcargs", {}).get("tmp_path")
        if own is not None and call.when == "call":
            # A query that still runs deletes files meanwhile.
            with contextlib.suppress(shutil.Error):
                shutil.copytree(own, kept_folder(item) / "tmp", dirs_exist_ok=True, ignore_dangling_symlinks=True)
    return report


def has_failed(item: pytest.Item) -> bool:
    """Whether the test failed already, or its fixtures."""
    return item.stash.get(_FAILED, False)


def kept_folder(item: pytest.Item) -> Path:
    """Where what a failed test leaves is kept."""
    return KEPT / re.sub(r"[^\w.\[\]-]+", "_", item.nodeid)
