package io.github.dynamickafka.spark.options

import java.time.Duration

import io.github.dynamickafka.spark.options.Default.{Required, Unset, Value}

/** The options for the metadata service: which one, which streams to read, and how often to ask. */
trait MetadataOptions {

  /** The first release. The page of options names only later ones. */
  val First = "0.1.0"

  private val OneOfThree = Unset(Some("none; one of the three that choose streams is required"))

  val MetadataService: SourceOption[ServiceChoice] = SourceOption(
    "metadataService",
    Required,
    Check.service,
    First,
    "Which service says where the streams are: [the services](metadata.md#the-services). A class implements " +
      "`KafkaMetadataService`."
  )
  val MetadataServiceConfig: SourceOption[String] = SourceOption(
    "metadataService.<key>",
    Unset(),
    Check.anything,
    First,
    "Passed to the service as `<key>`, with its case kept. `yaml` needs `metadataService.path`: a file on the " +
      "driver's machine, or any Hadoop path. `http` needs [`metadataService.url`](metadata-http.md)."
  )
  val StreamIds: SourceOption[StreamSelection] = SourceOption(
    "streamIds",
    OneOfThree,
    Check.streamIds,
    First,
    "The ids of the streams to read."
  )
  val StreamPattern: SourceOption[StreamSelection] = SourceOption(
    "streamPattern",
    OneOfThree,
    Check.pattern,
    First,
    "Reads all streams whose whole id matches, later ones too."
  )
  val StreamSubscriber: SourceOption[StreamSelection] = SourceOption(
    "streamSubscriber",
    OneOfThree,
    Check.subscriber,
    First,
    "Your class that implements `KafkaStreamSubscriber`. It chooses the streams to read at each fetch."
  )
  val MetadataDiscoveryInterval: SourceOption[Option[Duration]] = SourceOption(
    "metadataDiscoveryInterval",
    Value("30s"),
    DurationText.checkOrOff(min = Duration.ofMillis(100)),
    First,
    "How often the service is asked. `-1`: only at the start."
  )
  val MetadataDiscoveryFailureThreshold: SourceOption[Option[Int]] = SourceOption(
    "metadataDiscoveryFailureThreshold",
    Value("-1"),
    Check.countOrUnlimited,
    First,
    "How many failed fetches in a row are tolerated. One more fails the query. `-1`: any number; the metric " +
      "`metadataFailures` counts them. The first fetch of each start must succeed."
  )
  val MetadataRequestTimeout: SourceOption[Duration] = SourceOption(
    "metadataRequestTimeout",
    Value("30s"),
    DurationText.check(),
    First,
    "A fetch that takes longer counts as a failure."
  )
}
