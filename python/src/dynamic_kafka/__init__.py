"""One Spark Structured Streaming source for many Kafka clusters that come and go."""

from dynamic_kafka._archive import offsets_after
from dynamic_kafka._bridge import Subscriber
from dynamic_kafka._builder import DynamicKafkaSource, DynamicKafkaSourceBuilder
from dynamic_kafka._jar import jar_path
from dynamic_kafka._metadata import ClusterMetadata, KafkaStream, MetadataService
from dynamic_kafka._offsets import OffsetLevel, Offsets
from dynamic_kafka._option_values import Duration
from dynamic_kafka._progress import ProgressPoint, QueryProgress, ReportingQuery, TopologyChange, progress
from dynamic_kafka._progress_table import ClusterProgress
from dynamic_kafka._services import (
    ConfigValue,
    HttpMetadataService,
    InMemoryMetadataService,
    JvmMetadataService,
    SingleClusterMetadataService,
    YamlFileMetadataService,
)
from dynamic_kafka._session import configure_spark
from dynamic_kafka.errors import DynamicKafkaError, find_error

__all__ = [
    "ClusterMetadata",
    "ClusterProgress",
    "ConfigValue",
    "Duration",
    "DynamicKafkaError",
    "DynamicKafkaSource",
    "DynamicKafkaSourceBuilder",
    "HttpMetadataService",
    "InMemoryMetadataService",
    "JvmMetadataService",
    "KafkaStream",
    "MetadataService",
    "OffsetLevel",
    "Offsets",
    "ProgressPoint",
    "QueryProgress",
    "ReportingQuery",
    "SingleClusterMetadataService",
    "Subscriber",
    "TopologyChange",
    "YamlFileMetadataService",
    "configure_spark",
    "find_error",
    "jar_path",
    "offsets_after",
    "progress",
]
