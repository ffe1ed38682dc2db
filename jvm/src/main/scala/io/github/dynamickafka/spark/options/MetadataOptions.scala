package io.github.dynamickafka.spark.options

import java.time.Duration

import io.github.dynamickafka.spark.options.Default.{Required, Unset, Value}

/** The options for the metadata service: which one, which streams to read, and how often to ask. */
trait MetadataOptions {
  protected val First = "0.1.0"

  val MetadataService: SourceOption[ServiceChoice] = SourceOption(
    "metadataService",
    Required,
    Check.service,
    First,
    "Who answers which streams exist and where they are. `yaml`: a file. `http`: a web server. `single-cluster`: each " +
      "topic of one cluster is a stream. Or your class that implements `KafkaMetadataService`."
  )
  val MetadataServiceConfig: SourceOption[String] = SourceOption(
    "metadataService.<key>",
    Unset(),
    Check.anything,
    First,
    "Passed to the service as `<key>`, with its case kept. `yaml` needs `metadataService.path`: a file on the " +
      "driver's machine, or any Hadoop path. `http` needs `metadataService.url`; docs/metadata-http.md has its other keys."
  )
  val StreamIds: SourceOption[StreamSelection] = SourceOption(
    "streamIds",
    Unset(Some("one of the three")),
    Check.streamIds,
    First,
    "The ids of the streams to read."
  )
  val StreamPattern: SourceOption[StreamSelection] = SourceOption(
    "streamPattern",
    Unset(Some("one of the three")),
    Check.pattern,
    First,
    "Reads all streams whose whole id matches, later ones too."
  )
  val StreamSubscriber: SourceOption[StreamSelection] = SourceOption(
    "streamSubscriber",
    Unset(Some("one of the three")),
    Check.subscriber,
    First,
    "Your class that implements `KafkaStreamSubscriber`. It chooses the streams to read at each fetch."
  )
  val MetadataDiscoveryInterval: SourceOption[Option[Duration]] = SourceOption(
    "metadataDiscoveryInterval",
    Value("30s"),
    DurationText.checkOrOff(min = Duration.ofMillis(100)),
    First,
    "How often the service is asked. `-1`: only at the start. Later changes are then not followed, and a log line " +
      "says so."
  )
  val MetadataDiscoveryFailureThreshold: SourceOption[Option[Int]] = SourceOption(
    "metadataDiscoveryFailureThreshold",
    Value("-1"),
    Check.countOrUnlimited,
    First,
    "How many consecutive failures of the service are tolerated. Meanwhile the last topology is kept; one more " +
      "failure fails the query. `-1`: no number of failures does, and the metric `metadataAge` shows them. The first " +
      "fetch of each start must succeed."
  )
  val MetadataRequestTimeout: SourceOption[Duration] = SourceOption(
    "metadataRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "A fetch from the service that takes longer counts as a failure. Its late answer is dropped."
  )
}
