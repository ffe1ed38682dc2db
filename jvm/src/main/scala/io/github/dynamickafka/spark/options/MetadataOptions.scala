package io.github.dynamickafka.spark.options

import java.time.Duration

import io.github.dynamickafka.spark.options.Default.{Required, Unset, Value}

/** The options that say who is asked for streams, which ones are wanted, and how often. */
trait MetadataOptions {
  protected val First = "0.1.0"

  val MetadataService: SourceOption[ServiceChoice] = SourceOption(
    "metadataService",
    Required,
    Check.service,
    First,
    "Who answers which streams exist and where they live: `yaml` for a file, `single-cluster` where each topic of one " +
      "cluster is a stream, or a class of yours that implements `KafkaMetadataService`."
  )
  val MetadataServiceConfig: SourceOption[String] = SourceOption(
    "metadataService.<key>",
    Unset(),
    Check.anything,
    First,
    "Passed to the service under `<key>`, its case kept. `yaml` needs `metadataService.path`: a file on the driver's " +
      "machine, or any Hadoop path."
  )
  val StreamIds: SourceOption[StreamSelection] = SourceOption(
    "streamIds",
    Unset(Some("one of the three")),
    Check.streamIds,
    First,
    "The streams to read, by id."
  )
  val StreamPattern: SourceOption[StreamSelection] = SourceOption(
    "streamPattern",
    Unset(Some("one of the three")),
    Check.pattern,
    First,
    "The streams to read: all whose whole id matches. Streams that come later and match are read, too."
  )
  val StreamSubscriber: SourceOption[StreamSelection] = SourceOption(
    "streamSubscriber",
    Unset(Some("one of the three")),
    Check.subscriber,
    First,
    "The streams to read, chosen at each fetch by a class of yours that implements `KafkaStreamSubscriber`."
  )
  val MetadataDiscoveryInterval: SourceOption[Option[Duration]] = SourceOption(
    "metadataDiscoveryInterval",
    Value("30s"),
    DurationText.checkOrOff(min = Duration.ofMillis(100)),
    First,
    "How often the service is asked. `-1`: only at the start, so that changes are not followed; a log line says so."
  )
  val MetadataDiscoveryFailureThreshold: SourceOption[Option[Int]] = SourceOption(
    "metadataDiscoveryFailureThreshold",
    Value("-1"),
    Check.countOrUnlimited,
    First,
    "How many consecutive failures of the service are tolerated while the last topology is kept; one more fails the " +
      "query. `-1`: it never does, and the metric `metadataAge` shows it. The first fetch of each start must succeed."
  )
  val MetadataRequestTimeout: SourceOption[Duration] = SourceOption(
    "metadataRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "A fetch from the service that takes longer counts as a failure; its late answer is dropped."
  )
}
