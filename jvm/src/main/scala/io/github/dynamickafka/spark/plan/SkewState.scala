package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.TimestampSkew.{Absent, Bound, Floor}

/** The state of `maxTimestampSkew` from batch to batch. It is not in the checkpoint: a restart begins without it.
  *
  * @param looks the last look at each partition that has a backlog
  * @param floors of each cluster, as of its last answer
  * @param absent the clusters that do not answer, each with the time since when
  * @param letGo those of them that are no longer waited for
  */
final case class SkewState(
    looks: Map[PartitionId, LookAhead] = Map.empty,
    floors: Map[ClusterId, Floor] = Map.empty,
    absent: Map[ClusterId, Instant] = Map.empty,
    letGo: Set[ClusterId] = Set.empty
) {

  /** The positions with a backlog whose next records have not been looked at. */
  def unseen(offset: SourceOffset, readable: Map[PartitionId, Long]): Map[PartitionId, PartitionOffset] = for {
    (id, _)  <- readable
    position <- offset.get(id) if !looks.get(id).exists(_.position == position)
  } yield id -> position

  /** The next batch's bound, and what is remembered then.
    *
    * @param offset holds the clusters that there are
    * @param looks at each partition with a backlog whose cluster answered
    * @param missing the clusters that do not answer, or of which nothing comes, and that may be waited for; each with the
    *                time since when
    */
  def step(
      offset: SourceOffset,
      looks: Map[PartitionId, LookAhead],
      missing: Map[ClusterId, Instant],
      skew: SkewSettings,
      now: Instant
  ): (Bound, SkewState) = {
    // Not later than now, or the clock was set back since.
    val since   = missing.map { case (id, at) => id -> Vector(absent.getOrElse(id, at), now).min }
    val waiting = since.map { case (id, at) =>
      Absent(id, floors.getOrElse(id, Floor.Unknown), Duration.between(at, now))
    }.filter(_.holds(skew))
    val letGo  = since.keySet -- waiting.map(_.cluster)
    val times  = looks.toVector.flatMap { case (id, look) => look.time.filterNot(_ => letGo(id.cluster)) }
    val lowest = TimestampSkew.lowest(times, waiting.map(_.floor)).fold[Floor](Floor.Idle)(Floor.At(_))
    val own    = SkewState.floors(looks)
    val kept   = offset.clusters.keysIterator.flatMap { id =>
      if (!missing.contains(id)) Some(id -> own.getOrElse(id, lowest))
      // A cluster that had no backlog when it last answered is not behind the next records of the others.
      else floors.get(id).map(floor => id -> (if (floor == Floor.Idle) lowest else floor))
    }
    (
      TimestampSkew.bound(times, waiting, skew),
      SkewState(looks, kept.toMap, since, letGo)
    )
  }
}

object SkewState {

  /** The time of the next record of each cluster. */
  private def floors(looks: Map[PartitionId, LookAhead]): Map[ClusterId, Floor] =
    looks.toVector.flatMap { case (id, look) => look.time.map(id.cluster -> _) }
      .groupMapReduce(_._1)(_._2)(_.min(_)).map { case (id, time) => id -> Floor.At(time) }
}
