"""An application as a user submits it, with a jar of the user's own: nothing here is of the tests.

``submitted_program.py STREAMS STREAM_ID`` reads the stream by a query, has a function of that jar look at each value,
and prints a JSON object in its last line: ``values``, and ``jars``, the names of those that Spark gives to executors.
"""

import json
import sys

from dynamic_kafka import DynamicKafkaSource, YamlFileMetadataService, configure_spark
from pyspark.sql import SparkSession

spark = configure_spark(SparkSession.builder.appName("submitted")).getOrCreate()
spark.udf.registerJavaFunction("shout", "Shout", "string")

orders = (
    DynamicKafkaSource.builder(spark)
    .metadata_service(YamlFileMetadataService(sys.argv[1]))
    .stream_ids(sys.argv[2])
    .starting_offsets("earliest")
    .load()
    .selectExpr("shout(cast(value AS string)) AS value")
)
query = orders.writeStream.format("memory").queryName("orders").trigger(availableNow=True).start()
query.awaitTermination()

values = sorted(row.value for row in spark.table("orders").collect())
paths = spark.sparkContext._jsc.sc().listJars()
jars = sorted(paths.apply(at).rsplit("/", 1)[-1] for at in range(paths.size()))
spark.stop()
print(json.dumps({"values": values, "jars": jars}))
