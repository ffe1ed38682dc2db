package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.options.SkewSettings
import io.github.dynamickafka.spark.plan.TimestampSkew.{Absent, Bound, Floor}

/** The state of `maxTimestampSkew` from batch to batch. It is not in the checkpoint: after a restart it is empty.
  *
  * @param looks of each partition with a backlog, the times of its next records as last seen
  * @param floors by cluster, the time before which no next record is expected, as of its last answer
  * @param absent the clusters that do not answer, and since when
  * @param notAwaited the absent clusters for which batches no longer wait
  */
final case class SkewState(
    looks: Map[PartitionId, LookAhead] = Map.empty,
    floors: Map[ClusterId, Floor] = Map.empty,
    absent: Map[ClusterId, Instant] = Map.empty,
    notAwaited: Set[ClusterId] = Set.empty
) {

  /** The positions with a backlog at which the times of the next records are not known yet. */
  def unseen(offset: SourceOffset, readable: Map[PartitionId, Long]): Map[PartitionId, PartitionOffset] = for {
    (id, _)  <- readable
    position <- offset.get(id) if !looks.get(id).exists(_.position == position)
  } yield id -> position

  /** The state after clusters take over positions. A cluster without a floor gets the lowest floor of its old ids, if all
    * their floors are known.
    *
    * @param by pairs of such a cluster and an old id
    */
  def succeeded(by: Iterator[(ClusterId, ClusterId)]): SkewState = {
    val old = by.toVector.groupMap(_._1) { case (_, of) => floors.getOrElse(of, Floor.Unknown) }
      .filterNot { case (_, all) => all.contains(Floor.Unknown) }
    copy(floors = old.transform((_, all) => SkewState.lowest(Nil, all)) ++ floors)
  }

  /** The bound of the next batch, and the next state.
    *
    * @param offset its clusters are those that the query knows
    * @param looks of each partition with a backlog whose cluster answered
    * @param missing the clusters that a batch may wait for, as they do not answer or give no records; each with since when
    */
  def step(
      offset: SourceOffset,
      looks: Map[PartitionId, LookAhead],
      missing: Map[ClusterId, Instant],
      skew: SkewSettings,
      now: Instant
  ): (Bound, SkewState) = {
    // A time later than now means that the clock was set back.
    val since   = missing.map { case (id, at) => id -> Vector(absent.getOrElse(id, at), now).min }
    val waiting = since.map { case (id, at) =>
      Absent(id, floors.getOrElse(id, Floor.Unknown), Duration.between(at, now))
    }.filter(_.holds(skew))
    val notAwaited = since.keySet -- waiting.map(_.cluster)
    val times      = looks.toVector.flatMap { case (id, look) => look.time.filterNot(_ => notAwaited(id.cluster)) }
    val lowest     = SkewState.lowest(times, waiting.map(_.floor))
    val own        = SkewState.floors(looks)
    val kept       = offset.clusters.keysIterator.flatMap { id =>
      if (!missing.contains(id)) Some(id -> own.getOrElse(id, lowest))
      // If it had no backlog when it last answered, its next records are assumed to be no older than those of the others.
      else floors.get(id).map(floor => id -> (if (floor == Floor.Idle) lowest else floor))
    }
    (
      TimestampSkew.bound(times, waiting, skew),
      SkewState(looks, kept.toMap, since, notAwaited)
    )
  }
}

object SkewState {
  private def lowest(next: Iterable[Long], floors: Iterable[Floor]): Floor =
    TimestampSkew.lowest(next, floors).fold[Floor](Floor.Idle)(Floor.At(_))

  /** By cluster, the lowest time of a next record. */
  private def floors(looks: Map[PartitionId, LookAhead]): Map[ClusterId, Floor] =
    looks.toVector.flatMap { case (id, look) => look.time.map(id.cluster -> _) }
      .groupMapReduce(_._1)(_._2)(_.min(_)).map { case (id, time) => id -> Floor.At(time) }
}
