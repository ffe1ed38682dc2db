package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId

class RangeSplitterSuite extends ScalaCheckSuite {
  private def range(cluster: String, partition: Int, size: Long): OffsetRange =
    OffsetRange(id(cluster, "orders", partition), 7, 7 + size, StreamId("orders"))

  private val sizes: Gen[Long] =
    Gen.oneOf(Gen.choose(1L, 100L), Gen.choose(1L, 1000000L), Gen.choose(1L, Long.MaxValue - 7))

  private val rows: Gen[Vector[OffsetRange]] =
    for {
      clusters <- Gen.choose(0, 6)
      sizes    <- Gen.listOfN(clusters, Gen.nonEmptyListOf(sizes))
    } yield sizes.zipWithIndex.flatMap { case (here, cluster) =>
      here.zipWithIndex.map { case (size, partition) => range(s"c$cluster", partition, size) }
    }.toVector

  private val slots = Gen.choose(1, 30)

  property("each range is in exactly one task, whole, in the order of the partitions") {
    forAll(rows, slots) { (ranges, slots) =>
      assertEquals(RangeSplitter.tasks(ranges.reverse, slots).flatten, ranges.sortBy(_.id))
    }
  }

  property("there are at most as many tasks as slots, and none is empty") {
    forAll(rows, slots) { (ranges, slots) =>
      val tasks = RangeSplitter.tasks(ranges, slots)
      assert(tasks.size <= slots && tasks.forall(_.nonEmpty), tasks)
    }
  }

  property("no task is heavier than an even share and one range more") {
    val rows = Gen.nonEmptyListOf(Gen.choose(1L, 10000000L))
    forAll(rows, slots) { (sizes, slots) =>
      val ranges = sizes.zipWithIndex.map { case (size, partition) => range("eu", partition, size) }
      val tasks  = RangeSplitter.tasks(ranges, slots)
      // 1,100 for a cluster and a partition; 10,000 below which a task is not worth it.
      val most = (sizes.sum + 100L * sizes.size) / slots + sizes.max + 1100 + 10000
      tasks.foreach(task => assert(task.map(_.size).sum <= most, s"${task.map(_.size).sum} of $most"))
    }
  }

  property("large ranges use every slot") {
    forAll(Gen.choose(1, 40), slots, Gen.choose(100000L, 1000000000L)) { (count, slots, size) =>
      val tasks = RangeSplitter.tasks((0 until count).map(range("eu", _, size)), slots)
      assertEquals(tasks.size, count.min(slots))
      assert(tasks.map(_.size).max <= (count + slots - 1) / slots, tasks.map(_.size))
    }
  }

  test("little to read is one task, over many clusters too") {
    val trickle = for (cluster <- 0 until 3; partition <- 0 until 4) yield range(s"c$cluster", partition, 10)
    assertEquals(RangeSplitter.tasks(trickle, 200).size, 1)
  }

  test("equal clusters are not cut where the slots allow it") {
    val ranges = for (cluster <- 0 until 4; partition <- 0 until 8) yield range(s"c$cluster", partition, 50000)
    val tasks  = RangeSplitter.tasks(ranges, 4)
    assertEquals(tasks.map(_.map(_.id.cluster.value).distinct), Vector("c0", "c1", "c2", "c3").map(Vector(_)))
  }

  test("one huge range does not drag others into its task, nor many tiny ones into tasks of their own") {
    val ranges = range("a", 0, 10000000) +: (0 until 9).map(range("b", _, 1))
    assertEquals(RangeSplitter.tasks(ranges, 10).map(_.size), Vector(1, 9))
  }

  test("nothing to read is no task") {
    assertEquals(RangeSplitter.tasks(Seq.empty, 8), Vector.empty[Vector[OffsetRange]])
  }

  test("without slots there is still a task") {
    assertEquals(RangeSplitter.tasks(Seq(range("a", 0, 5)), 0).size, 1)
  }
}
