package io.github.dynamickafka.spark.options

import java.util.Locale

/** The options of Spark's own Kafka source that mean nothing here, each with what to write instead. Users who move from
  * that source try them first.
  */
object PeerOptions {
  private val Single = s"`${SourceOptions.MetadataService.key}` = `single-cluster`"

  private def timed(option: SourceOption[_]) =
    s"write the times into `${option.key}`, by cluster: `{\"<cluster>\": {\"<topic>\": {\"0\": {\"timestamp\": <ms>}}}}`"

  private val noTime =
    "a partition without a record that late begins at its end, as with `latest`; leave the option out"

  private val answers: Map[String, String] = Map(
    "subscribe" -> (s"`${SourceOptions.StreamIds.key}` names streams, which the metadata maps to topics; with $Single " +
      "each topic is a stream with the same name"),
    "subscribePattern" -> (s"`${SourceOptions.StreamPattern.key}` is a regular expression of stream ids; with $Single " +
      "each topic is a stream with the same name"),
    "assign" -> (s"topics are read whole: name their stream by `${SourceOptions.StreamIds.key}`, and filter by the column " +
      "`partition`, which a batch read applies before it fetches"),
    "startingTimestamp"                  -> s"write `${SourceOptions.StartingOffsets.key}` = `{\"timestamp\": <ms>}`",
    "startingOffsetsByTimestamp"         -> timed(SourceOptions.StartingOffsets),
    "startingOffsetsByTimestampStrategy" -> noTime,
    "endingTimestamp"                    -> s"write `${SourceOptions.EndingOffsets.key}` = `{\"timestamp\": <ms>}`",
    "endingOffsetsByTimestamp"           -> timed(SourceOptions.EndingOffsets),
    "includeHeaders" -> "the column `headers` always exists, and costs nothing if it is not used; leave the option out",
    "kafkaConsumer.pollTimeoutMs" -> s"`${SourceOptions.ClusterReadTimeout.key}` says how long a task tries to read",
    "fetchOffset.numRetries" -> s"calls are tried again for as long as `${SourceOptions.ClusterRequestTimeout.key}` says",
    "fetchOffset.retryIntervalMs" -> s"calls are tried again for as long as `${SourceOptions.ClusterRequestTimeout.key}` says"
  ).map { case (key, text) => key.toLowerCase(Locale.ROOT) -> text }

  /** What to write instead of an option, if it is one of that source. */
  def instead(key: String): Option[String] = answers.get(key.toLowerCase(Locale.ROOT))

  /** For a user who sets only the address of a cluster. */
  val addressAlone: String =
    s"for one cluster write $Single, `metadataService.clusterId` with a name for the cluster, and " +
      "`metadataService.bootstrap.servers` with its address, instead of `kafka.bootstrap.servers`"
}
