"""A driver of its own in Real-Time Mode, to be killed: one query from Kafka to Kafka.

``real_time_program.py STREAMS STREAM_ID FOLDER ADDRESS TOPIC OPTIONS`` runs until it is killed; ``OPTIONS`` are more
options, as JSON.
"""

import json
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService

from tests.scenarios.real_time import LONG
from tests.scenarios.session import start_spark
from tests.scenarios.spark_kafka import kafka_jars


def main() -> None:
    streams, stream_id, folder, address, topic = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5]
    attempt = 1 + sum(path.name.startswith("spark-") for path in folder.iterdir())
    spark = start_spark(folder / f"spark-{attempt}")
    for jar in kafka_jars().split(","):
        spark.sql(f"ADD JAR '{jar}'")
    rows = (
        DynamicKafkaSource.builder(spark)
        .metadata_service(YamlFileMetadataService(streams))
        .stream_ids(stream_id)
        .metadata_discovery_interval("300ms")
        .real_time_tasks(1)
        .options(**json.loads(sys.argv[6]))
        .load()
    )
    writer = rows.selectExpr("value").writeStream.format("kafka").outputMode("update")
    writer = writer.option("kafka.bootstrap.servers", address).option("topic", topic)
    writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(**LONG).start().awaitTermination()


if __name__ == "__main__":
    main()
