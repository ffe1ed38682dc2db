package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import scala.annotation.tailrec

import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.{Agreement, ClusterObservation}

/** Topics that may have been created again: the topic id in the answer is not the one that is held, or the topic was not
  * read for a while.
  *
  * A broker that was frozen while a topic was created again still answers with the id of the earlier topic. So an id counts
  * once the answers over some time agree on it. Executors have the same rule (`LogQuestions`).
  */
private[trigger] object CreatedAgain {

  // A broker that comes back learns within this time what it has missed.
  private val Settled = Duration.ofSeconds(2)
  // Brokers that contradict each other hold up a trigger for only this long.
  private val Longest = Settled.multipliedBy(3)

  /** @param differs whether it is not the id that is held */
  final case class Id(kafkaId: String, differs: Boolean)

  /** These topics, each with the id that its cluster answers: those that are read, and those that are about to be read
    * again, or under another id of the log.
    *
    * @param settling of answers about what was not read for a while; zero: the first one counts if it has the known id
    */
  def of(basis: StepBasis, seen: Map[ClusterId, ClusterObservation], settling: Duration): Map[TopicId, Id] = {
    // What another Kafka cluster has under a known id is no topic of this one.
    val recognised = ClusterObservation.recognised(basis.held, seen)
    val here       = basis.held.topics.map { case (id, name, topic) =>
      (id, name, topic.kafkaId, topic.removal.isDefined && basis.topology.lists(id, name))
    }
    val next = for {
      (id, name, from) <- basis.roles.successions
      topic            <- basis.held.topic(from, name)
      // A mirror has a topic id of its own.
      renamed = basis.renamedFrom(id, name, basis.kafkaId(id, recognised)).isDefined
    } yield (id, name, if (renamed) topic.kafkaId else topic.formerTopics.get(id), true)
    (for {
      (id, name, known, begins) <- here ++ next
      present                   <- recognised.get(id).flatMap(_.present(name))
      kafkaId                   <- present.kafkaId
      differs                   <- known.map(_ != kafkaId) if differs || begins && !settling.isZero
    } yield TopicId(id, name) -> Id(kafkaId, differs)).toMap
  }

  /** Asks, and asks again while the answers have not agreed on an id for long enough. A trigger waits for this once for each
    * id.
    *
    * @param known the ids that were agreed on before
    * @param pause between two asks
    * @param most how often a cluster is asked whose answers have the known id and come too slowly to agree
    * @param ask after an earlier answer, if there is one. While a cluster has not answered again, its last answer may be
    *            returned again.
    * @param ids the topics of an answer whose ids have to be agreed on
    * @param asked when a cluster was asked, and answered
    * @return the last answer, and the ids that are agreed on
    */
  def agreed[A](known: Map[TopicId, String], pause: => Unit, most: Int)(
      ask: Option[A] => A,
      ids: A => Map[TopicId, Id],
      asked: (A, ClusterId) => Agreement
  ): (A, Map[TopicId, String]) = {
    @tailrec
    def next(
        before: Option[A],
        agree: Map[(TopicId, Id), Agreement],
        differ: Map[TopicId, Agreement],
        asks: Int
    ): (A, Map[TopicId, String]) = {
      val now  = ask(before)
      val all  = ids(now)
      val open = all.filterNot { case (id, as) => known.get(id).contains(as.kafkaId) }
      def again[K](earlier: Map[K, Agreement], key: K, id: TopicId) = {
        val one = asked(now, id.cluster)
        key -> earlier.get(key).fold(one)(_.and(one))
      }
      val same                        = open.map { case (id, as) => again(agree, id -> as, id) }
      val any                         = differ ++ open.keysIterator.map(id => again(differ, id, id))
      def enough(id: TopicId, as: Id) =
        same(id -> as).spans(Settled) || any(id).spans(Longest) || !as.differs && asks >= most
      if (open.forall { case (id, as) => enough(id, as) }) now -> all.transform((_, as) => as.kafkaId)
      else {
        pause
        next(Some(now), same, any, asks + 1)
      }
    }
    next(None, Map.empty, Map.empty, 1)
  }
}
