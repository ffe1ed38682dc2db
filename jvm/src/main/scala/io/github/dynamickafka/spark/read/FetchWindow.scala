package io.github.dynamickafka.spark.read

import scala.collection.immutable.Queue

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.ids.ClusterId

/** Which partitions of a task are fetched now, and how much of what was fetched too much its consumers may keep for the
  * next task, so that a limit holds however many partitions and clusters there are. A value; all sizes are bytes.
  *
  * Half of the limit is for what is fetched, half for what is kept: so neither waits for the other.
  *
  * @param waiting in the order in which they are opened
  * @param open how many partitions are fetched
  * @param fetched the most that these hold
  * @param kept the most that consumers hold of partitions that they are not asked for
  */
final private[read] case class FetchWindow(
    limit: Long,
    waiting: Queue[FetchWindow.Place],
    open: Int = 0,
    fetched: Long = 0,
    kept: Long = 0
) {
  import FetchWindow._

  /** Opens those that fit, and one in any case: without any, nothing would ever be read. */
  def opened: (FetchWindow, Vector[Place]) = opening(Vector.empty)

  @annotation.tailrec
  private def opening(places: Vector[Place]): (FetchWindow, Vector[Place]) = waiting.headOption match {
    case Some(place) if open == 0 || fetched + place.bytes <= limit / 2 =>
      copy(waiting = waiting.tail, open = open + 1, fetched = fetched + place.bytes).opening(places :+ place)
    case _ => (this, places)
  }

  /** A place is free again, whose partition was read to its end.
    *
    * @param bytes of the place
    * @param held what of `kept` was its partition's
    */
  def ended(bytes: Long, held: Long): FetchWindow = copy(open = open - 1, fetched = fetched - bytes, kept = kept - held)

  /** With so much more kept; none if that is too much. */
  def keeping(bytes: Long): Option[FetchWindow] =
    Option.when(kept + bytes <= limit / 2)(copy(kept = kept + bytes))
}

private[read] object FetchWindow {

  /** One partition's share.
    *
    * @param bytes the most that is held of it while it is fetched
    */
  final case class Place(cluster: ClusterId, partition: TopicPartition, bytes: Long)

  /** All wait, the first of each cluster before the second of any: so clusters answer at the same time, and one that is
    * slow does not take all of the room.
    */
  def of(limit: Long, byCluster: Seq[Seq[Place]]): FetchWindow =
    FetchWindow(limit, byCluster.flatMap(_.zipWithIndex).sortBy(_._2).map(_._1).to(Queue))
}
