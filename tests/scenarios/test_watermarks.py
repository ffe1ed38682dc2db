"""docs/watermarks.md: its numbers, of a cluster that is behind, out of reach, paused or new while a query counts."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from dynamic_kafka import ClusterMetadata, DynamicKafkaSourceBuilder
from pyspark.sql import DataFrame
from pyspark.sql.functions import col, unix_millis

from tests.cluster import KafkaCluster, Record, eventually
from tests.cluster.clusters import behind_gates
from tests.cluster.gate import PASS, REFUSE, Gate
from tests.readme import ROOT, examples
from tests.recipes import ran
from tests.scenarios.conftest import Name, Source
from tests.scenarios.listing import ProgramListing, on
from tests.scenarios.queries import SOON, Queries, Running

pytestmark = pytest.mark.long

PAGE = ROOT / "docs" / "watermarks.md"
MINUTE = 60_000
# Midnight, of a day long ago: each case runs with times of its own, whatever the clock says.
START = 1_767_225_600_000
HOUR = range(0, 60, 5)
WATERMARK = "2026-01-01T00:45:00.000Z"
SKEW = "10m"


@pytest.fixture(scope="module")
def gated() -> Iterator[tuple[KafkaCluster, Gate]]:
    """A cluster with a gate before it, through which queries come; producers are inside."""
    with behind_gates("GATE") as (cluster, gates):
        yield cluster, gates["GATE"]


@dataclass
class Hour:
    """The stream of the page, on `eu-1` and `us-1`, and a query that counts it."""

    topic: str
    eu: KafkaCluster
    us: KafkaCluster
    gate: Gate
    listing: ProgramListing
    read: DynamicKafkaSourceBuilder
    written: Counter[tuple[str, int]] = field(default_factory=Counter)

    def lists(self, us: ClusterMetadata | None) -> None:
        eu = on(self.eu, self.topic)
        self.listing.publish("orders", {"eu-1": eu} if us is None else {"eu-1": eu, "us-1": us})

    def there(self, *, paused: bool = False) -> ClusterMetadata:
        return ClusterMetadata([self.topic], bootstrap_servers=self.gate.address, paused=paused)

    def writes(self, cluster_id: str, *minutes: int) -> None:
        """Writes a record for each of these minutes of the day."""
        cluster = self.eu if cluster_id == "eu-1" else self.us
        times = [START + minute * MINUTE for minute in minutes]
        cluster.produce(self.topic, [Record(None, "order", timestamp_ms=time) for time in times])
        self.written += Counter((cluster_id, time - time % (10 * MINUTE)) for time in times)

    def counted(self, read: DynamicKafkaSourceBuilder) -> DataFrame:
        """What the page counts, by the start of each window."""
        (code,) = examples("python", PAGE)
        counted: DataFrame = ran(code, orders=read.load())["counted"]
        return counted.select("cluster", unix_millis(col("window.start")).alias("start"), "count")


@pytest.fixture
def hour(
    a: KafkaCluster,
    gated: tuple[KafkaCluster, Gate],
    program: ProgramListing,
    source: Source,
    fresh_name: Name,
) -> Hour:
    us, gate = gated
    gate.turn(PASS)
    topic = fresh_name("orders")
    for cluster in (a, us):
        cluster.create_topic(topic)
    read = source(program.service, "orders").unavailable_cluster_policy("skip").cluster_request_timeout("3s")
    return Hour(topic, a, us, gate, program, read)


def totals(running: Running) -> Counter[tuple[str, int]]:
    """The last count of each window."""
    return Counter({(row["cluster"], row["start"]): row["count"] for row in running.rows()})


def all_read(running: Running) -> None:
    """Waits until nothing is left to read, and the last batch has ended."""
    running.await_metric("pendingRecords", lambda seen: seen == "0")
    running.query.processAllAvailable()


def dropped(running: Running) -> int:
    """As Spark reports it, over all batches that it still remembers."""
    return sum(one.numRowsDroppedByWatermark for event in running.query.recentProgress for one in event.stateOperators)


def of_us(counts: Counter[tuple[str, int]]) -> int:
    """How many of the 12 records of the hour."""
    return sum(count for (cluster, start), count in counts.items() if cluster == "us-1" and start >= START)


def shown(case: str) -> tuple[int, int]:
    """The numbers of the page without the skew and with it, in the row that has this text."""
    ((without, with_skew),) = re.findall(rf"^\| [^|]*{case}[^|]* \| (\d+) \| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    return int(without), int(with_skew)


def begins(hour: Hour, queries: Queries, read: DynamicKafkaSourceBuilder) -> Running:
    """A query that has read a record of the evening before on each cluster that is listed."""
    running = queries.start(hour.counted(read), mode="update")
    eventually("the first records are counted", lambda: totals(running), until=hour.written.__eq__, within=SOON)
    return running


def eu_is_read(running: Running) -> None:
    """Waits until all of eu-1 is read, and the watermark has followed."""

    def watermark() -> str | None:
        running.check()
        progress = running.query.lastProgress
        return None if progress is None else progress.eventTime.get("watermark")

    eventually("the watermark is 10 minutes behind eu-1", watermark, until=WATERMARK.__eq__, within=SOON)


@pytest.mark.parametrize("skew", [None, SKEW])
def test_a_cluster_with_an_hour_to_read_beside_one_with_minutes(hour: Hour, queries: Queries, skew: str | None) -> None:
    hour.lists(hour.there())
    hour.writes("us-1", *HOUR)
    hour.writes("eu-1", *HOUR[-2:])
    read = hour.read.max_offsets_per_trigger(4)
    running = queries.start(hour.counted(read.max_timestamp_skew(skew) if skew else read), mode="update")
    all_read(running)
    assert of_us(totals(running)) == shown("whole hour to read")[bool(skew)]


def test_a_cluster_that_is_out_of_reach_loses_rows_when_it_returns(hour: Hour, queries: Queries) -> None:
    hour.lists(hour.there())
    for cluster in ("eu-1", "us-1"):
        hour.writes(cluster, -10)
    running = begins(hour, queries, hour.read)
    hour.gate.turn(REFUSE)
    running.await_state("us-1", "unavailable")
    for cluster in ("us-1", "eu-1"):
        hour.writes(cluster, *HOUR)
    eu_is_read(running)
    hour.gate.turn(PASS)
    running.await_state("us-1", "reading")
    all_read(running)
    assert of_us(totals(running)) == shown("can't be reached")[0]
    assert dropped(running) == 4
    assert all(cluster == "us-1" for cluster, _ in hour.written - totals(running))


def test_the_others_wait_for_a_cluster_that_is_out_of_reach_and_no_row_is_lost(hour: Hour, queries: Queries) -> None:
    hour.lists(hour.there())
    for cluster in ("eu-1", "us-1"):
        hour.writes(cluster, -10)
    running = begins(hour, queries, hour.read.max_timestamp_skew(SKEW))
    hour.gate.turn(REFUSE)
    running.await_state("us-1", "unavailable")
    for cluster in ("us-1", "eu-1"):
        hour.writes(cluster, *HOUR)
    # Ten minutes are read: from the last record of us-1 on or, if it was known to have no more, from midnight on.
    running.await_metric("cluster.eu-1.pendingRecords", lambda seen: seen in ("11", "9"))
    hour.gate.turn(PASS)
    running.await_state("us-1", "reading")
    all_read(running)
    assert of_us(totals(running)) == shown("can't be reached")[1]
    assert totals(running) == hour.written
    assert dropped(running) == 0


@pytest.mark.parametrize("skew", [None, SKEW])
@pytest.mark.parametrize("case", ["`paused`", "added after"])
def test_nobody_waits_for_a_cluster_that_is_paused_or_not_listed_yet(
    hour: Hour, queries: Queries, case: str, skew: str | None
) -> None:
    absent = hour.there(paused=True) if case == "`paused`" else None
    hour.lists(absent)
    hour.writes("eu-1", -10)
    running = begins(hour, queries, hour.read.max_timestamp_skew(skew) if skew else hour.read)
    for cluster in ("us-1", "eu-1"):
        hour.writes(cluster, *HOUR)
    eu_is_read(running)
    hour.lists(hour.there())
    running.await_state("us-1", "reading")
    all_read(running)
    assert of_us(totals(running)) == shown(case)[bool(skew)]
    # Within the skew the records come in several batches, and each batch counts for itself.
    assert dropped(running) >= 4
