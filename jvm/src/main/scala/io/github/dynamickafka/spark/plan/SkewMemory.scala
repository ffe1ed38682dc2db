package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.TimestampSkew.{Absent, Bound, Floor}

/** What keeping partitions together in time remembers from batch to batch; after a restart it is found anew.
  *
  * @param looks the last look at each partition that has a backlog
  * @param floors of each cluster, as of when it last answered
  * @param absent since when each cluster that does not answer has not
  * @param letGo those of them that are waited for no more
  */
final case class SkewMemory(
    looks: Map[PartitionId, LookAhead] = Map.empty,
    floors: Map[ClusterId, Floor] = Map.empty,
    absent: Map[ClusterId, Instant] = Map.empty,
    letGo: Set[ClusterId] = Set.empty
) {

  /** The positions that must be looked behind, of those that have a backlog. */
  def unseen(offset: SourceOffset, readable: Map[PartitionId, Long]): Map[PartitionId, PartitionOffset] = for {
    (id, _)  <- readable
    position <- offset.get(id) if !looks.get(id).exists(_.position == position)
  } yield id -> position

  /** The next batch's bound, and what is remembered of it.
    *
    * @param offset tells which clusters there are
    * @param looks at each partition with a backlog whose cluster answered
    * @param missing since when each cluster has not answered that is waited for
    */
  def step(
      offset: SourceOffset,
      looks: Map[PartitionId, LookAhead],
      missing: Map[ClusterId, Instant],
      skew: SkewSettings,
      now: Instant
  ): (Bound, SkewMemory) = {
    val since   = missing.map { case (id, at) => id -> absent.getOrElse(id, at) }
    val waiting = since.map { case (id, at) =>
      Absent(id, floors.getOrElse(id, Floor.Unknown), Duration.between(at, now))
    }.filter(_.holds(skew))
    val next   = looks.toVector.flatMap { case (id, look) => look.time.map(id.cluster -> _) }
    val times  = next.map(_._2)
    val lowest = TimestampSkew.lowest(times, waiting.map(_.floor)).fold[Floor](Floor.Idle)(Floor.At(_))
    val own    = next.groupMapReduce(_._1)(_._2)(_.min(_)).map { case (id, time) => id -> Floor.At(time) }
    val kept   = offset.clusters.keysIterator.flatMap { id =>
      if (!missing.contains(id)) Some(id -> own.getOrElse(id, lowest))
      // What was nowhere behind when it last answered is not behind what comes next elsewhere.
      else floors.get(id).map(floor => id -> (if (floor == Floor.Idle) lowest else floor))
    }
    (
      TimestampSkew.bound(times, waiting, skew),
      SkewMemory(looks, kept.toMap, since, since.keySet -- waiting.map(_.cluster))
    )
  }
}
