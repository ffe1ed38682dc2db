package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId

/** Clusters whose answers come late. A broker that was frozen answers when it thaws, with what it knew before other brokers
  * took over from it. So the end of a drain, which is found only once, comes from an ask that was sent some time later.
  *
  * @param times when the first and the last of successive late answers of each cluster came
  * @param unsettled the clusters whose newest answer was asked for too soon after the first of them
  */
final case class LateAnswers(
    times: Map[ClusterId, (Instant, Instant)] = Map.empty,
    unsettled: Set[ClusterId] = Set.empty
) {
  import LateAnswers._

  /** After one more ask.
    *
    * @param clusters those that have answered or failed
    * @param began when each was asked
    * @param ended when its answer came
    */
  def asked(clusters: Set[ClusterId], began: ClusterId => Instant, ended: ClusterId => Instant): LateAnswers = {
    val now = clusters.flatMap { id =>
      val took  = Duration.between(began(id), ended(id))
      val known = times.get(id).filter { case (first, last) =>
        // They lie ahead where the clock was set back.
        !last.isAfter(ended(id)) && !began(id).isAfter(last.plus(Over)) && !began(id).isBefore(first.minus(Over))
      }
      val after =
        if (took.compareTo(Settled) > 0) Some((ended(id), ended(id)))
        else if (took.compareTo(Late) > 0) Some((known.fold(ended(id))(_._1), ended(id)))
        else known
      after.map(id -> _)
    }.toMap
    LateAnswers(
      times -- clusters ++ now,
      now.collect { case (id, (first, _)) if began(id).isBefore(first.plus(Settled)) => id }.toSet
    )
  }
}

object LateAnswers {
  val none: LateAnswers = LateAnswers()

  // A healthy leader answers faster, unless it is far away. Then all its answers are late, and decide after a short time.
  private val Late = Duration.ofMillis(200)

  // Within this time a broker that thaws learns that it no longer leads.
  private val Settled = Duration.ofSeconds(2)

  // After this time without a late answer, the next one is a first one.
  private val Over = Duration.ofSeconds(10)
}
