package io.github.dynamickafka.spark.reconcile.topic

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.TopicId
import io.github.dynamickafka.spark.offsets.{
  ClusterOffset,
  ClusterRule,
  OffsetPoint,
  OffsetRuleText,
  SourceOffset,
  TopicOffset
}
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ListedCluster

/** Where the partitions of a topic end, exclusive, by the ending offsets that the metadata gives its cluster.
  *
  * An end is resolved once and kept with the text it came from; another text is resolved anew. A time ends a
  * partition only once it has a record of that time or later. So the time may lie in the future.
  *
  * @param rule nothing: there are no ends
  * @param settled the ends that are known
  */
final case class Endings(id: TopicId, rule: Option[ClusterRule], settled: SortedMap[Int, Long]) {

  /** What the brokers must be asked for the ends of these partitions that are not known. */
  def questions(partitions: IterableOnce[Int]): Iterator[Question] = for {
    ends      <- rule.iterator
    partition <- partitions.iterator if !settled.contains(partition)
    point     <- ends.point(id.name, partition).iterator
    asked     <- point.asked
  } yield Question(id.partition(partition), asked)

  /** The same with all ends that are known now. */
  def resolved(extents: Map[Int, Extent], answers: Question.Answers): Endings = copy(settled = settled ++ (for {
    ends                <- rule.iterator
    (partition, extent) <- extents if !settled.contains(partition)
    point               <- ends.point(id.name, partition)
    end                 <- Question.offset(id.partition(partition), point, extent, answers, late = None)
  } yield partition -> end))
}

object Endings {

  /** Of a topic that the metadata lists, by the present text. */
  def listed(id: TopicId, listed: ListedCluster, before: Option[ClusterOffset]): Endings = {
    val text = before.flatMap(_.endings)
    // While it was removed, its ends may have been those of an older text.
    val held = before.flatMap(_.topics.get(id.name)).filter(_.removal.forall(_.endings.isEmpty))
    val ends = for {
      own  <- listed.endingOffsets
      ends <- held.map(_.ends) if ends.nonEmpty
    } yield
      if (text.contains(own.text)) ends
      else {
        val was = text.map(OffsetRuleText.held)
        ends.filter { case (number, _) => own.rule.point(id.name, number).exists(lasting(was, id.name, number)) }
      }
    Endings(id, listed.endingOffsets.map(_.rule), ends.getOrElse(SortedMap.empty[Int, Long]))
  }

  /** Whether another text still says the same of a partition. `latest` would be a later end by now. */
  private def lasting(was: Option[ClusterRule], name: String, number: Int)(point: OffsetPoint): Boolean =
    PartialFunction.cond(point) { case _: OffsetPoint.Exact | _: OffsetPoint.Timestamp =>
      was.flatMap(_.point(name, number)).contains(point)
    }

  /** Of a topic that the metadata does not list any more, by the text that it was listed with. */
  def removed(id: TopicId, held: SourceOffset): Endings = {
    val topic = held.topic(id.cluster, id.name)
    val text  = textOf(held.clusters.get(id.cluster), topic)
    Endings(id, text.map(OffsetRuleText.held), topic.fold(SortedMap.empty[Int, Long])(_.ends))
  }

  private def textOf(cluster: Option[ClusterOffset], topic: Option[TopicOffset]): Option[String] =
    topic.flatMap(_.removal).flatMap(_.endings).fold(cluster.flatMap(_.endings))(Some(_).filter(_ != NoEnds))

  /** The text of ending offsets that name nothing. */
  private val NoEnds = "{}"

  /** A removed topic after a step. It keeps the text that it was listed with while a part of it needs that. Otherwise its
    * ends are dropped once its cluster has another text.
    *
    * @param before what was held before the step
    * @param text that its cluster has from now on
    */
  def kept(topic: TopicOffset, name: String, before: Option[ClusterOffset], text: Option[String]): TopicOffset = {
    val own    = textOf(before, before.flatMap(_.topics.get(name)))
    val needed = own != text && topic.removal.exists(_.undecided)
    topic.copy(
      removal = topic.removal.map(_.by(Option.when(needed)(own.getOrElse(NoEnds)))),
      ends = if (own == text || needed) topic.ends else SortedMap.empty
    )
  }

  /** Whether a cluster's part of the query is over: all partitions that its listed topics may have get an end, and all have
    * reached it. It stays over where a fetch has left it out.
    */
  def over(before: Option[ClusterOffset], listed: ListedCluster): Boolean =
    listed.topics.nonEmpty && listed.endingOffsets.exists { own =>
      before.exists(held =>
        held.endings.contains(own.text) && listed.topics.keysIterator.forall(name =>
          own.rule.namesAll(name) && held.finished(name) && held.topics(name).removal.forall(_.endings.isEmpty)
        )
      )
    }
}
