package io.github.dynamickafka.spark.errors

import io.github.dynamickafka.spark.errors.Condition._

/** What the reference page says of a condition; nowhere else is it explained. Links are relative to the folder `docs`.
  *
  * @param when it comes
  * @param todo what a user does about it
  */
final case class ConditionHelp(when: String, todo: String)

object ConditionHelp {

  def of(condition: Condition): ConditionHelp = condition match {
    case InvalidOption => ConditionHelp(
        "Options are unknown, badly written, missing, or exclude each other. As a warning: `statusPath` can't be " +
          "written to.",
        "Correct them: [options](options.md). The message names all problems at once, and suggests the nearest known " +
          "name."
      )
    case InvalidMetadata => ConditionHelp(
        "The metadata contradicts itself, or its file can't be read. A running query keeps the last topology.",
        "Correct the file, or put the last good one back. [`dynamic-kafka validate`](command-line.md#validate) shows " +
          "all problems with their lines. Do not edit it in place: write a new file and rename it."
      )
    case MetadataUnavailable => ConditionHelp(
        "The metadata service throws, hangs, or breaks the rules of its interface. A start fails. A running query keeps " +
          "the last topology, until `metadataDiscoveryFailureThreshold`.",
        "Repair the service. `metadataLastError` has its text. Do not restart a query that runs."
      )
    case StreamNotFound => ConditionHelp(
        "`streamIds` names a stream that the metadata does not have. It is an error at the first start, and later a " +
          "warning, while the stream drains.",
        "Correct `streamIds` or the metadata: [`DynamicKafkaStreamsMissing`](runbook.md#dynamickafkastreamsmissing)."
      )
    case ClusterUnreachable => ConditionHelp(
        "A cluster does not answer within `clusterRequestTimeout`, or a range can't be read within " +
          "`clusterReadTimeout`. Or a partition has no leader, or its leader does not answer. Or the address can't be " +
          "resolved, is not a Kafka broker, or needs TLS. The message says which.",
        "Bring the cluster back, or correct the address. [`dynamic-kafka validate --connect`](command-line.md#validate) " +
          "tries it. To continue without such clusters: [when a cluster is " +
          "unavailable](operations.md#when-a-cluster-is-unavailable). Do not remove the cluster from the metadata while " +
          "it may come back."
      )
    case ClusterNotListed => ConditionHelp(
        "A logged batch, or a drain, needs a cluster that the metadata no longer lists, so its address is unknown.",
        "List it again; `topics: []` is enough. If it is gone for good: [a batch that cannot be read " +
          "again](operations.md#a-batch-that-cannot-be-read-again). Do not give its id to another cluster."
      )
    case ClusterChanged => ConditionHelp(
        "Another Kafka cluster answers under a known id. Nothing of it is read, and the positions are kept.",
        "Correct the address. Give a rebuilt cluster a new id, because its offsets begin anew: [rebuild a " +
          "cluster](migrations.md#rebuild-a-cluster)."
      )
    case ClusterDuplicated => ConditionHelp(
        "Two ids are the same Kafka cluster, and have a topic in common. Only one of them is read. As a warning: both " +
          "were read before `continues` came.",
        "If the new id replaces the other, add the line that the warning prints, `continues: <the other id>`: [rename a " +
          "cluster](migrations.md#rename-a-cluster). Else correct `clusterId`, or list the topic under only one of them. " +
          "If both were read and that line is the mistake, list the standby under a new id, with the `startingOffsets` of the " +
          "warning."
      )
    case MirrorBehind => ConditionHelp(
        "A cluster that `continues` another one lacks records that were read. The topic is not read, in state " +
          "`standby`, even when the mirror has more records: producers may have written them. As a warning: the mirror " +
          "lacks records of the old cluster.",
        "Find out where mirroring ended, and give the new cluster, with `continues`, these `startingOffsets` by " +
          "partition: [fail over to a mirror that lags](migrations.md#fail-over-to-a-mirror-that-lags). Do not take the " +
          "mirror's present end: newer records would be left out."
      )
    case AuthenticationFailed => ConditionHelp(
        "A cluster refuses the credentials, the TLS handshake fails, or a login fails before a broker is asked (OAuth, " +
          "Kerberos). Or a placeholder can't be resolved. As a warning: such a placeholder keeps its last value.",
        "Correct the credentials, or what a placeholder stands for, or repair the login server. [`dynamic-kafka " +
          "validate --connect`](command-line.md#validate), with the driver's secrets, tries the login. The query waits " +
          "for a fetch that begins after the refusal: [when credentials change](security.md#when-credentials-change)."
      )
    case NotAuthorized => ConditionHelp(
        "The login may not do what reading needs. Under `unavailableClusterPolicy=skip` only the topics that the " +
          "message names are skipped.",
        "Allow what it names: [what a principal must be allowed](security.md#what-a-principal-must-be-allowed). The " +
          "query notices it without a restart."
      )
    case TopicNotFound => ConditionHelp(
        "A listed topic does not exist. A query waits for it, and a batch read fails.",
        "Correct the name in the metadata, or create the topic. `missingTopicNames` has the names."
      )
    case TopicRecreated => ConditionHelp(
        "A topic was deleted and created again. What was not read of the old one is lost. Brokers before 2.8 give " +
          "topics no id; there it means that the log ends before the position.",
        "If you accept the loss, start once with `failOnDataLoss=false`: the query reads the new topic from its " +
          "earliest record. Then set the option back: [create a topic anew](migrations.md#create-a-topic-anew)."
      )
    case DataLoss => ConditionHelp(
        "Records aged out before they were read. Or a listed topic was deleted. Or a log was cut off below what was " +
          "read, as by an unclean leader election. As a warning: retention will soon delete what is not read.",
        "After the warning: [`DynamicKafkaRecordsAgeOut`](runbook.md#dynamickafkarecordsageout). After the error: write " +
          "down the offsets of the message, and start once with `failOnDataLoss=false`. The query continues at the " +
          "earliest record, or where the log was cut off, and counts the loss in `dataLossRecords`. Then set the option " +
          "back. After a cut, new records may have the offsets of records that were read."
      )
    case OffsetVersion => ConditionHelp(
        "A newer release, or another source, wrote the checkpoint.",
        "Run the release that wrote it, or a newer one: [versions](checkpoint.md#versions). A checkpoint of Spark's own " +
          "source: [move over](migrations-from-union.md)."
      )
    case PythonService => ConditionHelp(
        "A metadata service in Python returns something of the wrong type. A running query keeps the last topology.",
        "Correct the service. The message says what was expected. Do not catch errors in it and return nothing: an " +
          "empty topology removes everything."
      )
    case UnsupportedOnConnect => ConditionHelp(
        "Spark Connect can't call a Python object.",
        "Use a service that options alone describe, such as `yaml` or `http`: [Spark " +
          "Connect](platforms.md#spark-connect)."
      )
  }
}
