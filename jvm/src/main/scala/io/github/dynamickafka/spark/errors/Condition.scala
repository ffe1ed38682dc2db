package io.github.dynamickafka.spark.errors

/** The stable name of a kind of failure, as errors and warnings carry it in square brackets. docs/reference/errors.md says
  * what to do about each.
  */
sealed abstract class Condition(suffix: String) extends Product with Serializable {
  val name: String = s"DYNAMIC_KAFKA_$suffix"

  override def toString: String = s"[$name]"
}

object Condition {
  case object InvalidOption        extends Condition("INVALID_OPTION")
  case object InvalidMetadata      extends Condition("INVALID_METADATA")
  case object MetadataUnavailable  extends Condition("METADATA_UNAVAILABLE")
  case object StreamNotFound       extends Condition("STREAM_NOT_FOUND")
  case object ClusterUnreachable   extends Condition("CLUSTER_UNREACHABLE")
  case object ClusterNotListed     extends Condition("CLUSTER_NOT_LISTED")
  case object ClusterChanged       extends Condition("CLUSTER_CHANGED")
  case object ClusterDuplicated    extends Condition("CLUSTER_DUPLICATED")
  case object MirrorBehind         extends Condition("MIRROR_BEHIND")
  case object AuthenticationFailed extends Condition("AUTHENTICATION_FAILED")
  case object NotAuthorized        extends Condition("NOT_AUTHORIZED")
  case object TopicNotFound        extends Condition("TOPIC_NOT_FOUND")
  case object TopicRecreated       extends Condition("TOPIC_RECREATED")
  case object DataLoss             extends Condition("DATA_LOSS")
  case object OffsetVersion        extends Condition("OFFSET_VERSION")
  case object PythonService        extends Condition("PYTHON_SERVICE")
  case object UnsupportedOnConnect extends Condition("UNSUPPORTED_ON_CONNECT")

  val all: Seq[Condition] = Seq(
    InvalidOption,
    InvalidMetadata,
    MetadataUnavailable,
    StreamNotFound,
    ClusterUnreachable,
    ClusterNotListed,
    ClusterChanged,
    ClusterDuplicated,
    MirrorBehind,
    AuthenticationFailed,
    NotAuthorized,
    TopicNotFound,
    TopicRecreated,
    DataLoss,
    OffsetVersion,
    PythonService,
    UnsupportedOnConnect
  )
}
