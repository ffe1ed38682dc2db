package io.github.dynamickafka.spark.ids

import scala.collection.immutable.{AbstractMap, SortedMap}

/** A value for each of some partitions, sorted. The values are grouped by cluster and topic, as in an offset. So one
  * topic is found and changed without a look at the others, of which a query may have a hundred thousand partitions.
  *
  * @param clusters contains no empty cluster and no empty topic
  */
final class PartitionMap[+A] private (val clusters: SortedMap[ClusterId, SortedMap[String, SortedMap[Int, A]]])
    extends AbstractMap[PartitionId, A] {

  override def get(id: PartitionId): Option[A] =
    for {
      topics     <- clusters.get(id.cluster)
      partitions <- topics.get(id.topic)
      value      <- partitions.get(id.partition)
    } yield value

  override def iterator: Iterator[(PartitionId, A)] =
    for {
      (cluster, topic, partitions) <- topics
      (partition, value)           <- partitions.iterator
    } yield PartitionId(cluster, topic, partition) -> value

  override def valuesIterator: Iterator[A] = topics.flatMap(_._3.valuesIterator)

  override def updated[B >: A](id: PartitionId, value: B): PartitionMap[B] = {
    val topics     = clusters.getOrElse(id.cluster, SortedMap.empty[String, SortedMap[Int, B]])
    val partitions = topics.getOrElse(id.topic, SortedMap.empty[Int, B]).updated(id.partition, value)
    new PartitionMap(clusters.updated(id.cluster, topics.updated(id.topic, partitions)))
  }

  override def removed(id: PartitionId): PartitionMap[A] = new PartitionMap(clusters.updatedWith(id.cluster)(
    _.map(_.updatedWith(id.topic)(_.map(_.removed(id.partition)).filter(_.nonEmpty))).filter(_.nonEmpty)
  ))

  override def size: Int         = topics.map(_._3.size).sum
  override def knownSize: Int    = if (isEmpty) 0 else -1
  override def isEmpty: Boolean  = clusters.isEmpty
  override def className: String = "PartitionMap"

  /** The partitions of each topic. */
  def topics: Iterator[(ClusterId, String, SortedMap[Int, A])] =
    for {
      (cluster, topics)   <- clusters.iterator
      (topic, partitions) <- topics.iterator
    } yield (cluster, topic, partitions)

  /** The partitions of one topic. */
  def topic(cluster: ClusterId, name: String): SortedMap[Int, A] =
    clusters.get(cluster).flatMap(_.get(name)).getOrElse(SortedMap.empty[Int, A])

  /** The partitions of one cluster. */
  def of(cluster: ClusterId): PartitionMap[A] = PartitionMap(clusters.get(cluster).map(cluster -> _))

  /** Maps the partitions of each topic. */
  def mapTopics[B](change: (ClusterId, String, SortedMap[Int, A]) => SortedMap[Int, B]): PartitionMap[B] =
    PartitionMap(clusters.iterator.map { case (cluster, topics) =>
      cluster -> topics.transform((topic, partitions) => change(cluster, topic, partitions))
    })
}

object PartitionMap {
  val empty: PartitionMap[Nothing] = new PartitionMap(SortedMap.empty)

  def apply[A](clusters: IterableOnce[(ClusterId, SortedMap[String, SortedMap[Int, A]])]): PartitionMap[A] =
    new PartitionMap(clusters.iterator.map { case (cluster, topics) =>
      cluster -> (if (topics.valuesIterator.exists(_.isEmpty)) topics.filter(_._2.nonEmpty) else topics)
    }.filter(_._2.nonEmpty).to(SortedMap))

  /** These values as such a map. If they are one already, it is returned as it is. Fast if they are sorted. */
  def from[A](values: IterableOnce[(PartitionId, A)]): PartitionMap[A] = values match {
    case own: PartitionMap[A] => own
    case other                =>
      val sorted = other.iterator.toVector.sortBy(_._1)
      PartitionMap(runs(sorted.iterator)(_._1.cluster).map { case (cluster, here) =>
        cluster -> runs(here.iterator)(_._1.topic).map { case (topic, values) =>
          topic -> values.iterator.map { case (id, value) => id.partition -> value }.to(SortedMap)
        }.to(SortedMap)
      })
  }

  /** Groups neighbours that have the same key. */
  private def runs[A, K](values: Iterator[A])(key: A => K): Iterator[(K, Vector[A])] =
    Iterator.unfold(values.buffered) { rest =>
      rest.headOption.map(key).map { first =>
        val run = Vector.newBuilder[A]
        while (rest.headOption.exists(key(_) == first)) run += rest.next()
        (first -> run.result()) -> rest
      }
    }
}
