package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId

/** Clusters whose answers come late. A broker that was frozen answers when it thaws, with what it knew before other brokers
  * took over from it. So the end of a drain, which is found only once, comes from an ask that was sent some time later.
  *
  * @param since when the first late answer came, until the cluster answers in time again
  * @param unsettled the clusters whose newest answer decides no end
  */
final case class LateAnswers(since: Map[ClusterId, Instant] = Map.empty, unsettled: Set[ClusterId] = Set.empty) {

  /** After one more ask.
    *
    * @param clusters those that have answered or failed
    * @param began when each was asked
    * @param ended when its answer came
    */
  def asked(clusters: Set[ClusterId], began: ClusterId => Instant, ended: ClusterId => Instant): LateAnswers = {
    val late  = clusters.filter(id => Duration.between(began(id), ended(id)).compareTo(LateAnswers.Late) > 0)
    val first = clusters.flatMap { id =>
      // It lies ahead where the clock was set back.
      since.get(id).filterNot(_.isAfter(ended(id))).orElse(Option.when(late(id))(ended(id))).map(id -> _)
    }.toMap
    val open = first.collect { case (id, at) if began(id).isBefore(at.plus(LateAnswers.Settled)) => id }.toSet
    LateAnswers(since -- clusters ++ first.filter { case (id, _) => open(id) || late(id) }, open)
  }
}

object LateAnswers {
  val none: LateAnswers = LateAnswers()

  // A healthy leader answers faster, unless it is far away. Then all its answers are late, and decide from the second one on.
  private val Late = Duration.ofMillis(200)

  // Within this time a broker that thaws learns that it no longer leads.
  private val Settled = Duration.ofSeconds(2)
}
