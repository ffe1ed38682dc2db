package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.errors.Condition._

/** What the reference page says of a condition. Links are relative to the folder `docs`.
  *
  * @param when it comes
  * @param todo what a user does about it
  */
final case class ConditionHelp(when: String, todo: String)

object ConditionHelp {

  def of(condition: Condition): ConditionHelp = condition match {
    case InvalidOption => ConditionHelp(
        "Options are unknown, badly written, missing, or exclude each other.",
        "Correct them. The error names all problems at once. [Options](options.md) has all that are allowed."
      )
    case InvalidMetadata => ConditionHelp(
        "The metadata contradicts itself, or its file can't be read. A running query keeps the last topology meanwhile.",
        "Correct it. The error names file, line, stream and field. [`dynamic-kafka validate`](command-line.md#validate) " +
          "finds the same before the file is used."
      )
    case MetadataUnavailable => ConditionHelp(
        "The metadata service throws, hangs, or breaks the rules of its interface. A running query goes on, until " +
          "`metadataDiscoveryFailureThreshold`. The first fetch of a start must succeed.",
        "Repair the service. `metadataLastError` has its text."
      )
    case StreamNotFound => ConditionHelp(
        "A new query names a stream that the service does not know.",
        "Correct `streamIds`, or add the stream."
      )
    case ClusterUnreachable => ConditionHelp(
        "A cluster does not answer within `clusterRequestTimeout`, or a range can't be read within `clusterReadTimeout`. Or a " +
          "partition has no leader, or its leader does not answer. Or no host of the address can be resolved. Or the address " +
          "is not a Kafka broker, or needs TLS, which the error then says.",
        "Start the query again when the cluster answers, or set `unavailableClusterPolicy=skip`. A logged batch waits for the " +
          "cluster all the same: [a batch that cannot be read again](operations.md#a-batch-that-cannot-be-read-again)."
      )
    case ClusterNotListed => ConditionHelp(
        "A logged batch, or a drain, needs a cluster whose address is unknown.",
        "List it again; `topics: []` is enough. If you can't: " +
          "[a batch that cannot be read again](operations.md#a-batch-that-cannot-be-read-again)."
      )
    case ClusterChanged => ConditionHelp(
        "Another Kafka cluster answers behind a known id. Its positions are held.",
        "Correct the address. Give a rebuilt cluster a new id: [rebuild a cluster](migrations.md#rebuild-a-cluster)."
      )
    case ClusterDuplicated => ConditionHelp(
        "Two ids are the same Kafka cluster, and have a topic in common. As a warning: both were read before `continues` came.",
        "If the new id replaces the other, add the line that the warning prints, `continues: <the other id>`; else list the " +
          "topic under only one of them: [rename a cluster](migrations.md#rename-a-cluster). If both were read and the line " +
          "is a mistake, remove it."
      )
    case MirrorBehind => ConditionHelp(
        "A cluster that `continues` another one lacks records that were read. The topic is held in state `standby`, even after " +
          "the mirror gets there. As a warning: it lacks records of the old cluster.",
        "Find out where mirroring ended, and give the new cluster these `startingOffsets` by partition: " +
          "[fail over to a mirror that lags](migrations.md#fail-over-to-a-mirror-that-lags)."
      )
    case AuthenticationFailed => ConditionHelp(
        "A cluster refuses the credentials, the TLS handshake fails, or a login fails before a broker is asked (OAuth, Kerberos). " +
          "Or a placeholder of its properties can't be resolved. As a warning: such a placeholder keeps its last value.",
        "Correct the credentials in the metadata, or what a placeholder stands for, or repair the token endpoint or login server. The query waits for a fetch " +
          "that begins after the refusal: [when credentials change](security.md#when-credentials-change)."
      )
    case NotAuthorized => ConditionHelp(
        "A cluster forbids an operation. The error names all topics that can't be read.",
        "Allow what the error names: [what a principal must be allowed](security.md#what-a-principal-must-be-allowed)."
      )
    case TopicNotFound => ConditionHelp(
        "A listed topic does not exist: a warning for a stream, an error for a batch read.",
        "Create the topic, or remove it from the metadata."
      )
    case TopicRecreated => ConditionHelp(
        "A topic was deleted and re-created. With brokers before 2.8, which give topics no id: its log ends before what was read " +
          "of it.",
        "With `failOnDataLoss=false` the query continues with the new topic, at its earliest record: " +
          "[create a topic anew](migrations.md#create-a-topic-anew)."
      )
    case DataLoss => ConditionHelp(
        "Records aged out before they were read. Or a listed topic was deleted. Or a log was cut off before what was read of it, " +
          "as by an unclean leader election. As a warning: retention will soon delete what is not read.",
        "Use a longer retention. With `failOnDataLoss=false` the query continues at the earliest record, or where the log was " +
          "cut off: [before retention](operations.md#before-retention-takes-what-is-not-read)."
      )
    case OffsetVersion => ConditionHelp(
        "A newer release, or another source, wrote the checkpoint.",
        "Run the release that wrote it, or a newer one: [versions](checkpoint.md#versions)."
      )
    case PythonService => ConditionHelp(
        "A metadata service in Python returns something of the wrong type.",
        "Correct the service. The error says what was expected."
      )
    case UnsupportedOnConnect => ConditionHelp(
        "Spark Connect can't call a Python object.",
        "Use a service that options alone describe: [Spark Connect](platforms.md#spark-connect)."
      )
  }
}
