package io.github.dynamickafka.spark.status

import java.time.Instant
import java.util.{List => JList}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable}

/** The status of one query, for the people on call and the operators of its metadata. It contains no address and no
  * secret.
  *
  * @param looked what the query knows of its clusters; a metadata service gets none of it
  */
final case class QueryStatus(
    query: QueryIdentity,
    state: QueryState = QueryState.Running,
    applied: Option[AppliedMetadata] = None,
    refused: Option[RefusedAnswer] = None,
    looked: Option[ObservedClusters] = None
) {

  /** The query uses this version of the metadata. */
  def goingBy(version: Long, now: Instant): QueryStatus =
    copy(applied = applied.filter(_.version.contains(version)).orElse(Some(AppliedMetadata(Some(version), now))))

  /** A good answer came after the last refused one. */
  def unrefused: QueryStatus = copy(refused = None)

  /** An answer was refused. While the same answer is refused again, `at` is the time of the first refusal. */
  def refusing(answer: RefusedAnswer): QueryStatus =
    copy(refused = refused.filter(_.copy(at = answer.at) == answer).orElse(Some(answer)))

  def stopped: QueryStatus = copy(state = QueryState.Stopped)

  /** The same without what changes all the time. */
  def steady: QueryStatus = copy(applied = applied.map(_.copy(fetched = None)), looked = looked.map(_.steady))
}

sealed abstract class QueryState(val name: String) extends Product with Serializable

object QueryState {
  case object Running extends QueryState("running")
  case object Stopped extends QueryState("stopped")

  /** Its process was asked to end, and the query with it. Nobody knows whether it was meant to run on. */
  case object StoppedByProcess extends QueryState("stopped")

  /** @param condition of the failure, or else Spark's error class; none if neither is known
    * @param concerns the clusters and topics that its text names. The text itself may quote anything
    */
  final case class Failed(condition: Option[String], concerns: Vector[String] = Vector.empty)
      extends QueryState("failed")

  object Failed {
    // The first ones of very many are enough.
    private val Most = 10

    def of(failure: DynamicKafkaException): Failed = {
      def named(kind: String, names: JList[String]) =
        names.asScala.toVector.map(name => s"$kind ${Printable.line(name)}")
      val concerns = named("stream", failure.getStreams) ++ named("cluster", failure.getClusters) ++
        named("topic", failure.getTopics)
      Failed(Some(failure.condition.name), concerns.take(Most))
    }
  }
}

/** The metadata that the query uses.
  *
  * @param version of the metadata, if the service has versions
  * @param at since when the query uses it
  * @param topology a digest of what it says
  * @param fetched when it was last fetched
  */
final case class AppliedMetadata(
    version: Option[Long],
    at: Instant,
    topology: Option[String] = None,
    fetched: Option[Instant] = None
)

/** What a query knows of its clusters.
  *
  * @param versions of the software, by name
  * @param at when the clusters were looked at last; none before the first time
  * @param clusters none while nothing is known of them
  */
final case class ObservedClusters(
    versions: SortedMap[String, String],
    at: Option[Instant] = None,
    clusters: Option[SortedMap[ClusterId, ClusterStatus]] = None
) {
  def steady: ObservedClusters = copy(at = None, clusters = clusters.map(_.transform((_, cluster) => cluster.steady)))
}

/** Why the last fetch failed.
  *
  * @param version of the answer, if it had one
  */
final case class RefusedAnswer(version: Option[Long], condition: Condition, reason: String, at: Instant)

object RefusedAnswer {
  // The first ones of very many problems are enough.
  private val Longest = 2000

  def of(version: Option[Long], failure: DynamicKafkaException, at: Instant): RefusedAnswer =
    RefusedAnswer(version, failure.condition, reason(failure), at)

  // A failure with a cause quotes a text of other code, which may contain anything.
  private def reason(failure: DynamicKafkaException): String =
    if (failure.getCause != null) "The log of the driver says why."
    else if (failure.detail.length > Longest) failure.detail.take(Longest) + "…"
    else failure.detail
}
