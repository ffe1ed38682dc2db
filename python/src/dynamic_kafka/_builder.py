"""The typed builder. It collects options, checks their types, and passes them to Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamic_kafka._checks import OPTIONS
from dynamic_kafka._load import OptionValue, load
from dynamic_kafka._offsets import Offsets
from dynamic_kafka._option_methods import OptionMethods
from dynamic_kafka._options import OPTIONS as OPTIONS_OF_THE_SOURCE
from dynamic_kafka._redaction import ADDRESS, shown_address
from dynamic_kafka._services import InMemoryMetadataService, JvmMetadataService
from dynamic_kafka.errors import InvalidOptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

# The source's own options. They contain no secrets. Options of Kafka's clients or of a service may.
_OWN = frozenset(option.key.lower() for option in OPTIONS_OF_THE_SOURCE)
_OURS = (InMemoryMetadataService, JvmMetadataService)


class DynamicKafkaSource:
    """The entry point: `DynamicKafkaSource.builder(spark)`.

    >>> DynamicKafkaSource.builder(spark).stream_ids("orders").starting_offsets("earliest")
    DynamicKafkaSourceBuilder(streamIds='["orders"]', startingOffsets='earliest')
    """

    @staticmethod
    def builder(spark: SparkSession) -> DynamicKafkaSourceBuilder:
        """A builder of reads in this session, with no option set.

        >>> DynamicKafkaSource.builder(spark)
        DynamicKafkaSourceBuilder()
        """
        return DynamicKafkaSourceBuilder(spark)


class DynamicKafkaSourceBuilder(OptionMethods):
    """Collects the options of a read.

    As in Spark's own readers, each method changes the builder and returns it. If an option is set twice, the later
    value counts. `load` does not change the builder, so one builder can be used for several reads. Methods raise
    `OptionTypeError`, a `TypeError`, for a value of the wrong type. `load` checks the values themselves.

    `repr` shows what is set: the source's own options, services and addresses. Of others, only the name.

        >>> builder.stream_ids("orders").kafka_property("sasl.jaas.config", "${env:JAAS}").bounded()
        DynamicKafkaSourceBuilder(streamIds='["orders"]', kafka.sasl.jaas.config=..., bounded=True)
    """

    def __init__(self, spark: SparkSession) -> None:
        super().__init__()
        self._spark = spark
        self._bounded = False

    def __repr__(self) -> str:
        shown = [_option_text(key, value) for key, value in self._options.values()]
        return f"DynamicKafkaSourceBuilder({', '.join([*shown, *(['bounded=True'] if self._bounded else [])])})"

    def kafka_property(self, name: str, value: str | bool | int | float) -> Self:
        """A property of Kafka's clients, for every cluster. A cluster's own properties win.

        >>> builder.kafka_property("client.rack", "eu-west-1a")
        DynamicKafkaSourceBuilder(kafka.client.rack=...)
        """
        return self._set(f"kafka.{OPTIONS.text('The name', name)}", OPTIONS.scalar(f"kafka.{name}", value))

    def option(self, key: str, value: str | bool | int | float) -> Self:
        """Any option by its name in Spark.

        >>> builder.option("maxOffsetsPerTrigger", 100_000)
        DynamicKafkaSourceBuilder(maxOffsetsPerTrigger='100000')
        """
        return self._set(OPTIONS.text("The key", key), OPTIONS.scalar(key, value))

    def options(self, **options: str | bool | int | float) -> Self:
        """Any options by their names in Spark.

        >>> builder.options(maxOffsetsPerTrigger=100_000, **{"kafka.client.rack": "eu-west-1a"})
        DynamicKafkaSourceBuilder(maxOffsetsPerTrigger='100000', kafka.client.rack=...)
        """
        for key, value in options.items():
            self.option(key, value)
        return self

    def bounded(self, ending_offsets: Offsets | None = None) -> Self:
        """Makes it a batch read. It ends at these offsets (exclusive), by default at `latest`.

        >>> builder.bounded({"timestamp": "2026-01-01T00:00:00Z"})
        DynamicKafkaSourceBuilder(endingOffsets='{"timestamp":"2026-01-01T00:00:00Z"}', bounded=True)
        """
        self._bounded = True
        return self if ending_offsets is None else self.ending_offsets(ending_offsets)

    def load(self) -> DataFrame:
        """The rows as a DataFrame: a streaming read, or a batch read after `bounded`.

        Raises `InvalidOptionError` with all problems of the options, and other kinds of `DynamicKafkaError` for
        problems of the session.

        >>> orders = builder.metadata_service(service).stream_ids("orders").load()
        """
        # Spark does not say at load() which kind of read it will be.
        if "endingoffsets" in self._options and not self._bounded:
            raise InvalidOptionError(
                "The option `endingOffsets` is for a batch read, and a streaming read has "
                "no end. Call bounded(), or give a cluster its own ending offsets in the metadata.",
                option="endingOffsets",
            )
        return load(self._spark, dict(self._options.values()), batch=self._bounded)


def _option_text(key: str, value: OptionValue) -> str:
    if isinstance(value, str):
        text = repr(value) if key.lower() in _OWN else "..."
        return f"{key}={shown_address(value) if key.lower() == f'kafka.{ADDRESS}' else text}"
    # The `repr` of a user's own class may show secrets.
    return f"{key}={value!r}" if isinstance(value, _OURS) else f"{key}=<{type(value).__name__}>"
