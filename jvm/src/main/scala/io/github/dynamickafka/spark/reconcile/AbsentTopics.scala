package io.github.dynamickafka.spark.reconcile

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** Listed topics that were read and that their cluster, ask after ask, says not to have.
  *
  * A topic counts as deleted only when asks spread over some time agree, and a fetch of the metadata that began after
  * that still lists it: one answer may come from a broker that is behind, and a removal may be on its way.
  *
  * @param since when the first of the agreeing asks was made
  */
final case class AbsentTopics(since: Map[(ClusterId, String), Instant]) {

  /** What is absent after one more ask of the clusters. */
  def asked(held: SourceOffset, notices: Vector[Notice], now: Instant): AbsentTopics =
    AbsentTopics(notices.collect {
      case Notice.MissingTopic(cluster, topic) if held.clusters.get(cluster).exists(_.topics.contains(topic)) =>
        (cluster, topic) -> since.getOrElse((cluster, topic), now)
    }.toMap)

  /** The loss of those that count as deleted, if any do.
    *
    * @param spread how long the asks must agree
    * @param fetched when the fetch began that lists them
    */
  def deleted(spread: Duration, now: Instant, fetched: Instant): Option[Failure] = {
    val gone = since.collect {
      case ((cluster, topic), from) if !from.plus(spread).isAfter(now) && fetched.isAfter(from.plus(spread)) =>
        s"topic $topic of cluster $cluster"
    }
    Option.when(gone.nonEmpty)(Failure(
      Condition.DataLoss,
      s"Deleted in Kafka, though the metadata lists it: ${gone.toVector.sorted.mkString(", ")}. What was not read of it " +
        "is lost. Take it off the metadata; or, to wait until it is created again, set failOnDataLoss to false."
    ))
  }
}

object AbsentTopics {
  val none: AbsentTopics = AbsentTopics(Map.empty)
}
