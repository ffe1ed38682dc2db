package io.github.dynamickafka.spark.options

import java.util.Locale

/** An option of Spark's own Kafka source.
  *
  * @param alone what it means where one cluster is read by such options: docs/reference/one-cluster.md
  * @param instead what to write where there is a metadata service; none if both sources have the option
  */
final case class PeerOption(key: String, alone: PeerMeaning, instead: Option[String] = None)

sealed trait PeerMeaning extends Product with Serializable {
  def text: String
}

object PeerMeaning {

  /** The same as in Spark's own source; the text has what else users must know. */
  final case class Same(text: String = "") extends PeerMeaning

  /** It is an error that says this. */
  final case class Refused(text: String) extends PeerMeaning
}

/** The options of Spark's own Kafka source. Users who move from that source try them first. */
object PeerOptions {
  import PeerMeaning.{Refused, Same}

  private val Single = s"`${SourceOptions.MetadataService.key}` = `single-cluster`"

  private def timed(option: SourceOption[_]) =
    s"write the times into `${option.key}`, by cluster: `{\"<cluster>\": {\"<topic>\": {\"0\": {\"timestamp\": <ms>}}}}`"

  private val noTime =
    "a partition whose records are all earlier begins at its end, as with `latest`; leave the option out"

  private val readLimit = s"`${SourceOptions.ClusterReadTimeout.key}` says how long a task tries to read"
  private val askLimit  = s"`${SourceOptions.ClusterRequestTimeout.key}` says how long calls are tried"

  private def replaced(key: String, instead: String, alone: PeerMeaning) = PeerOption(key, alone, Some(instead))

  /** In the order of the reference page. */
  val all: Seq[PeerOption] = Seq(
    replaced(
      "subscribe",
      s"`${SourceOptions.StreamIds.key}` names streams, which the metadata maps to topics; with $Single " +
        "each topic is a stream with the same name",
      Same()
    ),
    replaced(
      "subscribePattern",
      s"`${SourceOptions.StreamPattern.key}` is a regular expression of stream ids; with $Single " +
        "each topic is a stream with the same name",
      Same()
    ),
    replaced(
      "assign",
      s"topics are read whole: name their stream by `${SourceOptions.StreamIds.key}`, and filter by the column " +
        "`partition`, which a batch read applies before it fetches",
      Same()
    ),
    PeerOption("startingOffsets", Same()),
    replaced(
      "startingTimestamp",
      s"write `${SourceOptions.StartingOffsets.key}` = `{\"timestamp\": <ms>}`",
      Same()
    ),
    replaced("startingOffsetsByTimestamp", timed(SourceOptions.StartingOffsets), Same()),
    replaced(
      "startingOffsetsByTimestampStrategy",
      noTime,
      Same()
    ),
    PeerOption("endingOffsets", Same()),
    replaced(
      "endingTimestamp",
      s"write `${SourceOptions.EndingOffsets.key}` = `{\"timestamp\": <ms>}`",
      Same()
    ),
    replaced("endingOffsetsByTimestamp", timed(SourceOptions.EndingOffsets), Same()),
    replaced(
      "includeHeaders",
      "the column `headers` always exists, and costs nothing if it is not used; leave the option out",
      Same()
    ),
    PeerOption("failOnDataLoss", Same("a topic that is gone from Kafka counts as deleted, so as a loss")),
    PeerOption("maxOffsetsPerTrigger", Same()),
    PeerOption("minOffsetsPerTrigger", Same()),
    PeerOption("maxTriggerDelay", Same()),
    PeerOption("minPartitions", Same()),
    PeerOption("maxRecordsPerPartition", Same()),
    PeerOption("groupIdPrefix", Same("with another default, `spark-dynamic-kafka`")),
    replaced("kafkaConsumer.pollTimeoutMs", readLimit, Refused(readLimit)),
    replaced("fetchOffset.numRetries", askLimit, Refused(askLimit)),
    replaced("fetchOffset.retryIntervalMs", askLimit, Refused(askLimit))
  )

  private val answers =
    all.flatMap(option => option.instead.map(option.key.toLowerCase(Locale.ROOT) -> _)).toMap

  /** What to write instead of an option, if it is one of that source. */
  def instead(key: String): Option[String] = answers.get(key.toLowerCase(Locale.ROOT))

  /** For a user who sets only the address of a cluster. */
  val addressAlone: String =
    "for one cluster choose its topics by `subscribe`, `subscribePattern` or `assign`, as in Spark's own Kafka source"
}
