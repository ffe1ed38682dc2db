"""Real-Time Mode in a session that was made without the jar: Spark itself knows no class of ours.

``real_time_session_program.py STREAMS STREAM_ID FOLDER MASTER`` writes each row that the stream holds into a file, and
prints the values, as a JSON list, once a batch of them is committed.
"""

import json
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService
from dynamic_kafka.testing import eventually

from tests.scenarios.real_time import SHORT
from tests.scenarios.running_session_program import kept_in
from tests.scenarios.session import session_builder


def main() -> None:
    streams, stream_id, folder, master = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    spark = session_builder(folder, more={"spark.master": master, "spark.executor.memory": "600m"}).getOrCreate()
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams)).stream_ids(stream_id)
    rows = builder.starting_offsets("earliest").real_time_tasks(1).load()
    files = folder / "each"
    files.mkdir()
    writer = rows.writeStream.foreach(kept_in(str(files))).outputMode("update")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(**SHORT).start()

    def read() -> int:
        assert query.exception() is None, query.exception()
        return sum(progress.numInputRows for progress in query.recentProgress)

    # A batch is committed, and its offsets are merged, before its progress comes.
    eventually("batches are committed", read, until=lambda count: count >= 30, within=60)
    query.stop()
    spark.stop()
    print(json.dumps(sorted(path.read_text() for path in files.iterdir())))


if __name__ == "__main__":
    main()
