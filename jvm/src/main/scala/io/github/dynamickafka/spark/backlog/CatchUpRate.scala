package io.github.dynamickafka.spark.backlog

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.backlog.CatchUpRate.{Seen, Window}
import io.github.dynamickafka.spark.ids.ClusterId

/** How fast the backlog of each cluster shrinks: how much more is read than written, over the last minute. If batches
  * take longer, over the last five of them. So a single batch changes it little. If the backlog has shrunk three times
  * in a row or more, only that time counts.
  */
final case class CatchUpRate(windows: Map[ClusterId, Window] = Map.empty) {

  /** After a batch, or after some time without one.
    *
    * @param now what is seen of each cluster; a cluster that is left out is forgotten
    */
  def seen(at: Instant, now: Map[ClusterId, Seen]): CatchUpRate = CatchUpRate(now.map { case (id, seen) =>
    id -> windows.get(id).fold(Window(Vector(at -> seen)))(_.and(at, seen))
  })

  /** How long this backlog takes; unknown unless it shrinks. */
  def time(cluster: ClusterId, backlog: Long): Option[Duration] =
    windows.get(cluster).flatMap(_.perSecond).map { speed =>
      Duration.ofSeconds(Math.min(Math.ceil(backlog / speed), CatchUpRate.Longest.toDouble).toLong)
    }
}

object CatchUpRate {
  private val Least   = Duration.ofSeconds(5)
  private val Span    = Duration.ofMinutes(1)
  private val Batches = 5
  private val Falling = 4
  private val Longest = Duration.ofDays(3650).toSeconds

  /** @param backlog how many offsets are not read
    * @param read how many offsets were read since the start
    * @param partitions how many there are
    */
  final case class Seen(backlog: Long, read: Long, partitions: Int)

  /** What was seen of one cluster, the oldest first. */
  final case class Window(seen: Vector[(Instant, Seen)]) {

    private[CatchUpRate] def and(at: Instant, now: Seen): Window =
      // New partitions add a backlog that was not written just now.
      if (seen.last._2.partitions != now.partitions) Window(Vector(at -> now))
      else if (Duration.between(seen.last._1, at).compareTo(Least) < 0) this
      else Window(recent(seen :+ (at -> now)))

    private def recent(all: Vector[(Instant, Seen)]): Vector[(Instant, Seen)] =
      if (all.sizeIs > Batches && Duration.between(all(1)._1, all.last._1).compareTo(Span) >= 0) recent(all.tail)
      else all

    private def start: (Instant, Seen) = {
      val falls = seen.indices.dropRight(1).reverseIterator
        .takeWhile(at => seen(at)._2.backlog > seen(at + 1)._2.backlog).size
      if (falls + 1 >= Falling) seen(seen.size - 1 - falls) else seen.head
    }

    /** None unless it shrinks. Lost and abandoned records do not count as read. */
    def perSecond: Option[Double] = {
      val ((since, first), (until, last)) = (start, seen.last)
      val shrunk                          = Math.min(first.backlog - last.backlog, last.read - first.read)
      Option.when(shrunk > 0)(shrunk * 1000.0 / Duration.between(since, until).toMillis)
    }
  }
}
