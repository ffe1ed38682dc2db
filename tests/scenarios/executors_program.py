"""A driver of its own on a Spark cluster: a batch read of all that a stream holds, everything logged at DEBUG.

``executors_program.py STREAMS STREAM_ID FOLDER MASTER`` prints the values it read as a JSON list in its last line. Log
and events of the driver lie in ``FOLDER``.
"""

import json
import sys
from pathlib import Path

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService

from tests.scenarios import quick_spark
from tests.scenarios.driver_jvm import DriverJvm
from tests.scenarios.queries import value_of
from tests.scenarios.session import MONITORED, start_spark

_LOGGING = """
rootLogger.level = debug
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} [%t] %m%n%ex
"""


def main() -> None:
    streams, stream_id, folder, master = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    logging = folder / "executor-log4j2.properties"
    logging.write_text(_LOGGING)
    of_executors = {
        # Executors load the plugin's class too.
        **MONITORED,
        "spark.master": master,
        "spark.app.name": stream_id,
        "spark.executor.memory": "600m",
        "spark.executor.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{logging} {quick_spark.java_options()}",
    }
    spark = start_spark(folder, more=of_executors)
    DriverJvm(spark).log_level("DEBUG")
    builder = DynamicKafkaSource.builder(spark).metadata_service(YamlFileMetadataService(streams))
    rows = builder.stream_ids(stream_id).bounded().load().collect()
    spark.stop()
    print(json.dumps(sorted(map(value_of, rows))))


if __name__ == "__main__":
    main()
