package io.github.dynamickafka.spark.fakes

import scala.collection.immutable.{SortedMap, SortedSet}

import org.scalacheck.Gen

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, StreamId}
import io.github.dynamickafka.spark.offsets._

/** Offsets by hand and at random. */
object Offsets {

  /** An offset with these positions; all topics belong to the stream `s`. */
  def offset(held: (PartitionId, PartitionOffset)*): SourceOffset = SourceOffset(
    held.groupBy(_._1.cluster).map { case (cluster, here) =>
      cluster -> ClusterOffset(
        None,
        here.groupBy(_._1.topic).map { case (topic, partitions) =>
          val positions = partitions.map { case (id, position) => id.partition -> position }
          topic -> TopicOffset(None, StreamId("s"), positions.to(SortedMap))
        }.to(SortedMap)
      )
    }.to(SortedMap)
  )

  def id(cluster: String, topic: String, partition: Int): PartitionId =
    PartitionId(ClusterId(cluster), topic, partition)

  /** Names with everything that JSON must escape, and some that look alike once they are joined. */
  val names: Gen[String] = Gen.frequency(
    3 -> Gen.oneOf("a", "b", "a-b", "b-c", "c", "-", "", "\"", "\\", "\n", "\u0000", "\u2028", "😀", "version"),
    1 -> Gen.listOf(Gen.frequency(5 -> Gen.asciiChar, 1 -> Gen.choose('\u0000', '\ud7ff'))).map(_.mkString)
  )

  private val longs: Gen[Long] = Gen.oneOf(Gen.choose(0L, 1000L), Gen.choose(0L, Long.MaxValue))
  private val ints: Gen[Int]   = Gen.oneOf(Gen.choose(0, 5), Gen.choose(0, Int.MaxValue))

  private def sorted[K: Ordering, V](key: Gen[K], value: Gen[V]): Gen[SortedMap[K, V]] =
    Gen.choose(0, 4).flatMap(Gen.listOfN(_, Gen.zip(key, value))).map(_.to(SortedMap))

  private val positions: Gen[PartitionOffset] =
    Gen.zip(longs, longs, ints, Gen.option(ints)).map { case (a, b, incarnation, epoch) =>
      PartitionOffset(a.min(b), a.max(b), incarnation, epoch)
    }

  private val removals: Gen[Removal] = Gen.oneOf(
    Gen.zip(longs, Gen.option(names)).map((Removal.Open.apply _).tupled),
    Gen.zip(longs, sorted(ints, Gen.oneOf(longs.map(Drain.Until(_)), Gen.const(Drain.Unknown))), Gen.option(names))
      .map((Removal.Draining.apply _).tupled),
    longs.map(Removal.ListedAgain(_))
  )

  private val topics: Gen[TopicOffset] = Gen
    .zip(
      Gen.option(names),
      names.map(StreamId(_)),
      sorted(ints, positions),
      Gen.option(removals),
      sorted(ints, longs),
      sorted(names.map(ClusterId(_)), sorted(ints, longs)),
      sorted(names.map(ClusterId(_)), names),
      sorted(names.map(ClusterId(_)), longs).map(_.keySet.to(SortedSet)),
      sorted(names.map(ClusterId(_)), sorted(ints, Gen.zip(longs, longs).map((MirrorLag.apply _).tupled)))
    )
    .map((TopicOffset.apply _).tupled)

  private val pending: Gen[PendingStart] = Gen.zip(names, longs, Gen.option(longs)).map((PendingStart.apply _).tupled)

  private val clusters: Gen[ClusterOffset] = Gen
    .zip(
      Gen.option(names),
      sorted(names, topics),
      Gen.option(pending),
      Gen.option(names),
      Gen.option(longs),
      sorted(names, pending)
    )
    .map((ClusterOffset.apply _).tupled)

  /** Any offset. */
  val all: Gen[SourceOffset] = Gen
    .zip(sorted(names.map(ClusterId(_)), clusters), ints, Gen.oneOf(true, false))
    .map { case (held, incarnation, initial) => SourceOffset(held, incarnation, initial) }
}
