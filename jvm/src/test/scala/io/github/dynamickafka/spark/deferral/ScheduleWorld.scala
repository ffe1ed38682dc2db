package io.github.dynamickafka.spark.deferral

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap, StreamId}
import io.github.dynamickafka.spark.offsets.{ClusterOffset, PartitionOffset, SourceOffset, TopicOffset}

/** What all schedules share. */
private[deferral] object ScheduleWorld {
  val Clusters: Vector[ClusterId]     = Vector("a", "b").map(ClusterId(_))
  val Partitions: Vector[PartitionId] =
    Vector("a" -> 0, "a" -> 1, "b" -> 2).map { case (cluster, number) => PartitionId(ClusterId(cluster), "t", number) }
  val Records: Long = 4
  val Limit         = BatchEnds.Limits(10, 3, needed = 20)

  val MostSteps = 20000

  /** A record: partition, offset and leader epoch. */
  type Row = (PartitionId, Long, Int)

  final case class End(why: String) extends RuntimeException(why, null, false, false)

  def offset(positions: Map[PartitionId, PartitionOffset]): SourceOffset = SourceOffset(
    PartitionMap.from(positions).clusters.map { case (id, topics) =>
      id -> ClusterOffset(
        Some(s"K-$id"),
        SortedMap.from(topics.map { case (name, all) =>
          name -> TopicOffset(Some("T"), StreamId("s"), SortedMap.from(all))
        })
      )
    }.to(SortedMap)
  )

  /** What is wrong with the rows of a table: each record must be there once; those that were cut off, once at most. */
  def wrong(table: Map[Int, Vector[Row]], logs: Set[Row], mayRepeat: Int => Boolean): Option[String] = {
    val rows = table.toVector.flatMap { case (batch, rows) => rows.map(_ -> batch) }.groupMap(_._1)(_._2)
    logs.find(!rows.contains(_)).map(row => s"a table lacks $row").orElse(rows.collectFirst {
      case (row, several) if several.size > 1 && !several.exists(mayRepeat) => s"a table has $row in batches $several"
    })
  }

  /** What actions took that wanted some rows of a batch alone, and a table lacks. */
  def lacks(tables: Vector[Map[Int, Vector[Row]]], some: Map[Int, Set[Row]], logs: Set[Row]): Option[String] =
    some.collectFirst {
      case (batch, rows)
          if !tables.forall(table => (rows & logs).subsetOf(table.getOrElse(batch, Vector.empty).toSet)) =>
        s"an action took $rows of batch $batch, and the tables have less"
    }

  def text(offset: SourceOffset): String =
    offset.partitions.map { case (id, at) => s"${id.partition}:[${at.start},${at.next},${at.incarnation}]" }.mkString(
      " "
    )
}
