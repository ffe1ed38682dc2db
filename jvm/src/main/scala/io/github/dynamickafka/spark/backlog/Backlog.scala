package io.github.dynamickafka.spark.backlog

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Drain, PartitionOffset, SourceOffset, TopicOffset}

/** What is written and not read, of each partition that has any. After a restart it is found out again.
  *
  * @param answered when each cluster that has answered was asked, in milliseconds since the epoch
  * @param early timestamps of the last records that were read before a cluster was asked, by an uncommitted batch
  */
final case class Backlog(
    partitions: PartitionMap[PartitionBacklog] = PartitionMap.empty,
    answered: Map[ClusterId, Long] = Map.empty,
    early: PartitionMap[Long] = PartitionMap.empty
) {

  /** With what is known to be unread before any cluster was asked.
    *
    * @param ends how far partitions are known to be readable
    */
  def known(ends: PartitionMap[Long], at: Long): Backlog = copy(partitions = ends.mapTopics { (id, name, here) =>
    val times = early.topic(id, name)
    here.transform { (number, end) =>
      PartitionBacklog(
        end,
        at,
        at,
        caughtUpAt = None,
        times.get(number).map(Math.min(_, at)),
        Deletions.unknown,
        lostAt = None
      )
    }
  })

  /** After one more poll of the clusters.
    *
    * @param before the offset when they were asked, up to which all is read
    * @param now the offset after the step, which reads nothing
    * @param report what is reported of a topic; none if nobody reports it
    */
  def asked(before: SourceOffset, now: SourceOffset, report: (ClusterId, String) => Option[TopicReport]): Backlog = {
    val reports = now.topics.flatMap { case (id, name, _) => report(id, name).map((id, name) -> _) }.toMap
    val open    = now.clusters.transform { (id, cluster) =>
      cluster.topics.transform { (name, topic) =>
        val known = before.topic(id, name).map(_.partitions)
        reports.get(id -> name).fold(unheard(id, name, topic))(new Heard(id, name, topic, known, _).unread)
      }
    }
    val heard = reports.valuesIterator.map(one => one.by -> one.at).toMap
    Backlog(
      PartitionMap(open),
      (answered ++ heard).filter { case (id, _) => now.clusters.contains(id) },
      if (early.isEmpty) early else PartitionMap(early.clusters -- heard.keys)
    )
  }

  /** After a batch. Timestamps of the last records that were read, if they have any. */
  def read(times: PartitionMap[Long]): Backlog =
    if (times.isEmpty) this
    else copy(
      partitions = partitions.mapTopics { (id, name, here) =>
        val found = times.topic(id, name)
        if (found.isEmpty) here else here.transform((number, unread) => found.get(number).fold(unread)(unread.read))
      },
      early = PartitionMap(early.clusters ++ times.clusters.filter { case (id, _) => !answered.contains(id) })
    )

  /** The topics with records that are still not read when the query is at this offset. */
  def waiting(offset: SourceOffset): Iterator[TopicBacklog] = for {
    (id, name, here) <- partitions.topics
    topic            <- offset.topic(id, name).iterator
    open = here.filter { case (number, unread) => topic.partitions.get(number).exists(_.next < unread.end) }
    if open.nonEmpty
  } yield TopicBacklog(id, name, open)

  // As last known, up to where the topic is still to be read.
  private def unheard(id: ClusterId, name: String, topic: TopicOffset): SortedMap[Int, PartitionBacklog] =
    partitions.topic(id, name).collect {
      case (number, unread) if topic.partitions.get(number).exists(_.next < Backlog.bound(topic, number, unread.end)) =>
        number -> unread.copy(end = Backlog.bound(topic, number, unread.end))
    }

  /** One topic that is reported.
    *
    * @param known its positions at the poll
    */
  private class Heard(
      id: ClusterId,
      name: String,
      topic: TopicOffset,
      known: Option[SortedMap[Int, PartitionOffset]],
      report: TopicReport
  ) {
    private val before  = partitions.topic(id, name)
    private val sooner  = early.topic(id, name)
    private val emptyAt = answered.get(report.by)

    // Most partitions have no unread records.
    def unread: SortedMap[Int, PartitionBacklog] = {
      val found = SortedMap.newBuilder[Int, PartitionBacklog]
      topic.partitions.foreachEntry((number, held) => of(number, held).foreach(unread => found += number -> unread))
      found.result()
    }

    private def of(number: Int, held: PartitionOffset): Option[PartitionBacklog] = report.extents.get(number) match {
      case None         => before.get(number)
      case Some(extent) =>
        val end = Backlog.bound(topic, number, extent.written)
        if (end <= held.next) None
        else {
          // A new partition, or one in a new incarnation, counts as seen for the first time.
          val same = known.flatMap(_.get(number)).exists(_.incarnation == held.incarnation)
          Some(before.get(number).filter(_ => same) match {
            case Some(unread) => unread.reported(end, report.at, extent.earliest, held.next)
            case None         =>
              val none = emptyAt.filter(_ => same)
              PartitionBacklog.begun(end, report.at, extent.earliest, held.next, none, sooner.get(number))
          })
        }
    }
  }
}

object Backlog {
  val none: Backlog = Backlog()

  /** How far the query is to read a partition, of which there are records up to this end. */
  def bound(topic: TopicOffset, partition: Int, end: Long): Long = {
    val own = topic.ends.get(partition).fold(end)(Math.min(end, _))
    topic.removal.map(_.drain(partition)) match {
      case Some(Drain.Until(until))   => Math.min(own, until)
      case Some(Drain.Done)           => 0
      case Some(Drain.Unknown) | None => own
    }
  }
}
