package io.github.dynamickafka.spark.reconcile.observed

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{Drain, TopicOffset}
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Silent

/** When the partitions that drain were first answered after their removal. A broker that was frozen answers, once it thaws,
  * with what it knew before other brokers took over from it, for a short time. So the end of a drain, which is found only
  * once, comes from an ask that is sent some time after the first answer.
  *
  * @param of each partition whose end is not known
  * @param early those whose newest answer was asked for too soon after that
  */
final case class FirstAnswers(
    of: Map[PartitionId, FirstAnswers.First] = Map.empty,
    early: Set[PartitionId] = Set.empty
) {
  import FirstAnswers._

  /** After one more ask.
    *
    * @param basis what is held, and what is listed
    * @param seen the answers of clusters that are still the same
    * @param began when each was asked
    * @param ended when its answer came
    * @param settling how long after the first answer the ask is sent that counts; zero: the first answer counts
    */
  def asked(
      basis: StepBasis,
      seen: Map[ClusterId, ClusterObservation],
      began: ClusterId => Instant,
      ended: ClusterId => Instant,
      settling: Duration
  ): FirstAnswers = {
    def removed(cluster: ClusterId, topic: String) = !basis.topology.lists(cluster, topic)
    def open(topic: TopicOffset)(partition: Int)   = topic.removal.forall(_.drain(partition) == Drain.Unknown)
    val answered                                   = for {
      (cluster, name, topic) <- basis.held.topics if removed(cluster, name)
      present                <- seen.get(cluster).flatMap(_.present(name)).iterator if !present.isAnother(topic)
      partition              <- present.partitions.keysIterator if open(topic)(partition)
    } yield PartitionId(cluster, name, partition)
    val now = answered.map { id =>
      val (at, took) = (ended(id.cluster), Duration.between(began(id.cluster), ended(id.cluster)))
      id -> of.get(id).filterNot(first =>
        // The clock was set back, or this broker was frozen meanwhile.
        at.isBefore(first.at) || took.compareTo(Frozen) > 0 && took.compareTo(first.took.multipliedBy(2)) > 0
      ).getOrElse(First(at, took))
    }.toMap
    val early = now.collect { case (id, first) if began(id.cluster).isBefore(first.at.plus(settling)) => id }
    // While nothing new is answered, the first answer stays.
    val silent = of.filter { case (id, _) =>
      seen.get(id.cluster).exists(_.isInstanceOf[Silent]) && removed(id.cluster, id.topic) &&
      basis.held.topic(id.cluster, id.topic).exists(open(_)(id.partition))
    }
    FirstAnswers(silent ++ now, if (settling.isZero) Set.empty else early.toSet)
  }
}

object FirstAnswers {
  val none: FirstAnswers = FirstAnswers()

  /** @param at when the answer came
    * @param took how long it took
    */
  final case class First(at: Instant, took: Duration)

  // Kafka elects other leaders for a broker after it was frozen for longer than this.
  private val Frozen = Duration.ofSeconds(5)
}
