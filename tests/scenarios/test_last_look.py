"""The last look at a test's queries and checkpoints sees what comes after the last wait. Leaves out brokers."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from tests.scenarios.checkpoint_texts import connections_in_checkpoints
from tests.scenarios.last_look import watched
from tests.scenarios.queries import Queries, Running
from tests.scenarios.session import KAFKA_PASSWORD, STORE_PASSWORD


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A folder whose files are read, a batch for each that comes."""
    folder = tmp_path / "lines"
    folder.mkdir()
    return folder


def begun(queries: Queries, lines: Path, spark: SparkSession) -> Running:
    """A query whose test has seen `1` and `2`, as all there was."""
    started = queries.start(spark.readStream.text(str(lines)).select(col("value").cast("binary")))
    put(lines, "1", "2")
    started.await_values(["1", "2"])
    return started


def put(lines: Path, *values: str) -> None:
    beside = lines.parent / "beside"
    beside.write_text("\n".join(values))
    beside.rename(lines / f"{len(list(lines.iterdir()))}.txt")


def holds() -> bool:
    """That the test has not failed so far."""
    return False


@pytest.mark.parametrize("stopped", [False, True])
def test_a_value_that_comes_twice_one_batch_after_the_last_wait_fails_the_test(
    lines: Path, spark: SparkSession, tmp_path: Path, *, stopped: bool
) -> None:
    with ExitStack() as over:
        queries = over.enter_context(watched(tmp_path, holds))
        running = begun(queries, lines, spark)
        put(lines, "2")
        if stopped:
            running.query.processAllAvailable()
            running.stop()
        with pytest.raises(AssertionError, match=r"query-0 did not stay .* unexpected \{'2': 1\}"):
            over.close()
    assert not spark.streams.active


def test_a_query_that_fails_after_the_last_wait_fails_the_test(
    lines: Path, spark: SparkSession, tmp_path: Path
) -> None:
    strict = "if(value = 'bad', raise_error('it was bad'), value)"
    with ExitStack() as over:
        queries = over.enter_context(watched(tmp_path, holds))
        running = queries.start(spark.readStream.text(str(lines)).selectExpr(f"cast({strict} as binary) as value"))
        put(lines, "1")
        running.await_values(["1"])
        put(lines, "bad")
        with pytest.raises(StreamingQueryException, match="it was bad"):
            over.close()


OFFSET = '{"version":1,"clusters":{"eu-1":{"kafkaId":"4L6g3nShT-eMCtK--X86sw","topics":{"first.orders":{}}}}}'
SHOWN = {
    "an address": (OFFSET.replace("eu-1", "127.0.0.1:41234"), "127.0.0.1:41234"),
    "a name": (OFFSET.replace("eu-1", "b1.example.com:9092,b2.example.com:9092"), "b1.example.com:9092"),
    "this machine": (OFFSET.replace("eu-1", "localhost:9092"), "localhost:9092"),
    "a property": (OFFSET.replace("kafkaId", "sasl.mechanism"), "sasl."),
    "a password": (OFFSET.replace("eu-1", KAFKA_PASSWORD), KAFKA_PASSWORD),
    "a login": (OFFSET.replace("eu-1", f'login=\\"{STORE_PASSWORD}\\";'), STORE_PASSWORD),
}


@pytest.mark.parametrize(("text", "found"), SHOWN.values(), ids=SHOWN)
def test_a_connection_setting_in_an_offset_is_found(text: str, found: str, tmp_path: Path) -> None:
    for number, offset in enumerate([OFFSET, text]):
        path = tmp_path / "deep" / "checkpoint" / "offsets" / str(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"v1\n{{}}\n{offset}")
    try:
        assert connections_in_checkpoints(tmp_path) == {"deep/checkpoint/offsets/1": found}
    finally:
        path.unlink()  # what this test leaves is looked through, too
    assert connections_in_checkpoints(tmp_path) == {}


def test_the_checkpoint_of_a_query_is_among_those_that_are_looked_through(
    lines: Path, spark: SparkSession, queries: Queries, tmp_path: Path
) -> None:
    running = begun(queries, lines, spark)
    running.await_committed()
    running.stop()
    last = running.checkpoint / "offsets" / str(running.logged("offsets")[-1])
    text = last.read_text()
    last.write_text(f"{text} at 127.0.0.1:9092")
    assert connections_in_checkpoints(tmp_path) == {f"checkpoint-0/offsets/{last.name}": "127.0.0.1:9092"}
    last.write_text(text)
