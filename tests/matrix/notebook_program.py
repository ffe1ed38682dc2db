"""A notebook, run cell by cell in a kernel of Jupyter's: nothing here is of the tests.

``notebook_program.py STREAMS STREAM_ID CLUSTERS`` gets the path of a streams file and, as JSON, addresses and topics by
cluster. It prints what the last cell printed: a JSON object with the values that came by that file, and by a metadata
service of the kernel's own.
"""

import sys

import nbformat
from nbclient import NotebookClient

STREAMS, STREAM_ID, CLUSTERS = sys.argv[1:]

# A platform gives its notebooks a session that runs already.
SESSION = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
"""
SERVICES = f"""
import json
from dynamic_kafka import ClusterMetadata, InMemoryMetadataService, KafkaStream, YamlFileMetadataService
clusters = {{
    name: ClusterMetadata(topics, bootstrap_servers=address)
    for name, (address, topics) in json.loads({CLUSTERS!r}).items()
}}
services = {{
    "file": YamlFileMetadataService({STREAMS!r}),
    "kernel": InMemoryMetadataService([KafkaStream({STREAM_ID!r}, clusters)]),
}}
"""
QUERY = f"""
from dynamic_kafka import DynamicKafkaSource
def values(name):
    source = DynamicKafkaSource.builder(spark).metadata_service(services[name]).stream_ids({STREAM_ID!r})
    writer = source.starting_offsets("earliest").load().writeStream.format("memory").queryName(name)
    writer.trigger(availableNow=True).start().awaitTermination()
    return sorted(bytes(row.value).decode() for row in spark.table(name).collect())
"""
SHOWN = "print(json.dumps({name: values(name) for name in services}))"

cells = [nbformat.v4.new_code_cell(text) for text in (SESSION, SERVICES, QUERY, SHOWN)]
notebook = nbformat.v4.new_notebook(cells=cells)
NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
printed = (output["text"] for output in notebook.cells[-1].outputs if output.get("name") == "stdout")
print("".join(printed).strip())
