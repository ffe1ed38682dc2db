package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration, Instant}

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation}

/** Topics that seem to be created again: the topic id in the answer is not the one that is held.
  *
  * A broker that was frozen while a topic was created again still answers with the id of the earlier topic. So another id
  * counts once the answers over some time agree on it. Executors have the same rule (`LogQuestions`).
  */
private[trigger] object CreatedAgain {

  // A broker that comes back learns within this time what it has missed.
  private val Settled = Duration.ofSeconds(2)
  // Brokers that contradict each other hold up a trigger for only this long.
  private val Longest = Settled.multipliedBy(3)

  /** These topics, each with the id that its cluster answers: those that are read, and those that are about to be read
    * under another id of the log.
    */
  def of(basis: StepBasis, seen: Map[ClusterId, ClusterObservation]): Map[TopicId, String] = {
    val next = for {
      (id, name, from) <- basis.roles.successions
      topic            <- basis.held.topic(from, name)
      // A mirror has a topic id of its own.
      renamed = basis.renamedFrom(id, name, basis.kafkaId(id, seen)).isDefined
    } yield (id, name, if (renamed) topic.kafkaId else topic.formerTopics.get(id))
    (for {
      (id, name, known) <- basis.held.topics.map { case (id, name, topic) => (id, name, topic.kafkaId) } ++ next
      present           <- seen.get(id).flatMap(_.present(name))
      kafkaId           <- present.kafkaId if known.exists(_ != kafkaId)
    } yield TopicId(id, name) -> kafkaId).toMap
  }

  /** Asks, and asks again while an id is new and the answers have not agreed on it for long enough. A trigger waits for this
    * once for each new id.
    *
    * @param known the ids that were agreed on before
    * @param pause between two asks
    * @param ask after an earlier answer, if there is one. While a cluster has not answered again, its last answer may be
    *            returned again.
    * @param ids the topics with another id in an answer
    * @param sent when a cluster was sent the request that it answered
    * @return the last answer
    */
  def agreed[A](known: Map[TopicId, String], pause: => Unit)(
      ask: Option[A] => A,
      ids: A => Map[TopicId, String],
      sent: (A, ClusterId) => Instant
  ): A = {
    @tailrec
    def next(before: Option[A], agree: Map[(TopicId, String), Agreement], differ: Map[TopicId, Agreement]): A = {
      val now  = ask(before)
      val open = ids(now).filterNot { case (id, as) => known.get(id).contains(as) }
      def again[K](all: Map[K, Agreement], key: K, id: TopicId) = {
        val at = sent(now, id.cluster)
        key -> all.get(key).fold(Agreement(at, at))(_.and(at))
      }
      val same = open.map { case (id, as) => again(agree, id -> as, id) }
      val any  = differ ++ open.keysIterator.map(id => again(differ, id, id))
      if (open.forall { case (id, as) => same(id -> as).spans(Settled) || any(id).spans(Longest) }) now
      else {
        pause
        next(Some(now), same, any)
      }
    }
    next(None, Map.empty, Map.empty)
  }
}
