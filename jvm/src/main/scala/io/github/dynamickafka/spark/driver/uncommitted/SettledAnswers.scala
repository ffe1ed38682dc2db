package io.github.dynamickafka.spark.driver.uncommitted

import java.time.Duration

import scala.annotation.tailrec

import io.github.dynamickafka.spark.driver.uncommitted.SettledAnswers.{Answers, Gone}
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Answers about an uncommitted batch, once they agree on what is gone. A single one may come from a broker that is behind,
  * however long it took.
  *
  * @param agreement from when the first answer says so until the last ask is sent that is answered so
  * @param rest between two asks
  * @param again what must be asked anew for these topics
  */
final private[uncommitted] class SettledAnswers(agreement: Duration, rest: => Unit)(again: Set[TopicId] => Unit) {

  /** Asks again while the last answers have topics gone on which asks have not agreed yet. Brokers that contradict each
    * other hold it up for three times that time.
    *
    * @param gone the topics that look gone by some answers
    * @return the last answers, and what is gone for certain
    */
  def of(ask: => Answers)(gone: Answers => Gone): (Answers, Gone) = {
    val began = System.nanoTime

    @tailrec
    def next(before: Map[(TopicId, Option[String]), Long]): (Answers, Gone) = {
      val asked   = System.nanoTime
      val answers = ask
      val came    = System.nanoTime
      val since   = gone(answers).map(one => one -> before.getOrElse(one, came))
      val agreed  = since.collect { case (one, at) if asked - at >= agreement.toNanos => one }.toMap
      if (agreed.size == since.size || asked - began >= agreement.multipliedBy(3).toNanos) (answers, agreed)
      else {
        again(since.keySet.map(_._1))
        rest
        next(since)
      }
    }
    next(Map.empty)
  }
}

private[uncommitted] object SettledAnswers {
  type Answers = Map[ClusterId, ClusterObservation]

  /** Topics that were deleted or created again, each with the id of the one that has its name now; none if there is no
    * such topic.
    */
  type Gone = Map[TopicId, Option[String]]
}
