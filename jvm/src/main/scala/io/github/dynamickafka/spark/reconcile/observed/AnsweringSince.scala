package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.ClusterId

/** Since when each cluster has answered without a break. A broker that was frozen answers, once it thaws, with what it knew
  * before other brokers took over from it. So the end of a drain, which is found only once, counts only if its cluster has
  * answered for some time when it is asked.
  *
  * @param runs of each cluster, its successive answers
  * @param unsettled the clusters whose newest answer was asked for too soon
  */
final case class AnsweringSince(
    runs: Map[ClusterId, AnsweringSince.Run] = Map.empty,
    unsettled: Set[ClusterId] = Set.empty
) {
  import AnsweringSince._

  /** After one more ask.
    *
    * @param said the clusters that have answered or failed, and whether they have answered
    * @param began when each was asked
    * @param ended when its answer came
    * @param settling for how long a cluster must have answered; zero: its first answer counts
    */
  def asked(
      said: Map[ClusterId, Boolean],
      began: ClusterId => Instant,
      ended: ClusterId => Instant,
      settling: Duration
  ): AnsweringSince = {
    val now = said.collect { case (id, true) =>
      val slow   = Duration.between(began(id), ended(id)).compareTo(Slow) > 0
      val before = runs.get(id).filterNot(run =>
        // The clock was set back.
        ended(id).isBefore(run.last) ||
          // Slow asks may be far apart: no trigger waits for them.
          (if (slow) !run.slow else began(id).isAfter(run.last.plus(Gap)))
      )
      id -> Run(before.fold(ended(id))(_.since), ended(id), slow)
    }
    val soon = now.collect { case (id, run) if began(id).isBefore(run.since.plus(settling)) => id }
    AnsweringSince(runs -- said.keySet ++ now, if (settling.isZero) Set.empty else soon.toSet)
  }
}

object AnsweringSince {
  val nothing: AnsweringSince = AnsweringSince()

  /** Answers of a cluster, one after the other.
    *
    * @param since when the first of them came
    * @param last when the last of them came
    * @param slow whether that one took long
    */
  final case class Run(since: Instant, last: Instant, slow: Boolean)

  // Kafka elects other leaders for a frozen broker after some seconds. A broker that froze and thawed has missed a shorter
  // gap between two asks, or its answer is slow.
  private val Gap  = Duration.ofSeconds(3)
  private val Slow = Duration.ofSeconds(1)
}
