package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** Topics that seem to be created again: their clusters answer with another id of Kafka's than is held.
  *
  * A broker that was frozen while a topic was created again still answers with the id of the earlier topic. So another id
  * counts once the answers over some time agree on it. On the executors it is the same (`LogQuestions`).
  */
private[trigger] object CreatedAgain {

  // In nanoseconds: a broker that comes back learns within this time what it has missed.
  private val Settled = Duration.ofSeconds(2).toNanos

  /** These topics, each with the id that its cluster answers. */
  def of(held: SourceOffset, seen: Map[ClusterId, ClusterObservation]): Map[TopicId, String] = (for {
    (id, name, topic) <- held.topics
    present           <- seen.get(id).flatMap(_.present(name)).filter(_.isAnother(topic))
    kafkaId           <- present.kafkaId
  } yield TopicId(id, name) -> kafkaId).toMap

  /** Asks, and asks again while an id is new and the answers have not agreed on it for long enough. A trigger waits for this
    * once for each new id.
    *
    * @param known the ids that were agreed on before
    * @param pause between two asks
    * @param ask after an earlier answer, if there is one
    * @param ids the other ids by an answer
    * @return the last answer
    */
  def agreed[A](known: Map[TopicId, String], pause: => Unit)(ask: Option[A] => A, ids: A => Map[TopicId, String]): A = {
    val began = System.nanoTime
    @tailrec
    def next(before: Option[A], since: Long): A = {
      val asked = System.nanoTime
      val now   = ask(before)
      val other = ids(now)
      val first = if (before.exists(ids(_) == other)) since else asked
      // Brokers that contradict each other hold up a trigger for only this long.
      val enough = asked - first >= Settled || asked - began >= 3 * Settled
      if (enough || other.forall { case (id, as) => known.get(id).contains(as) }) now
      else {
        pause
        next(Some(now), first)
      }
    }
    next(None, began)
  }
}
