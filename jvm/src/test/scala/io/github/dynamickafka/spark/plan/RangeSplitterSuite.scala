package io.github.dynamickafka.spark.plan

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.TaskLimits

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
      // 1,000 for a cluster and 150 for a partition. Less than 10,000 is not worth a task.
      val most = (sizes.sum + 150L * sizes.size) / slots + sizes.max + 1150 + 10000
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

  private val limits: Gen[TaskLimits] = for {
    least <- Gen.option(Gen.choose(1L, 60L))
    most  <- Gen.option(Gen.choose(1000L, 100000L))
  } yield TaskLimits(least, most)

  private val fewer = Gen.nonEmptyListOf(Gen.oneOf(Gen.choose(1L, 5L), Gen.choose(1L, 100000L))).map(
    _.zipWithIndex.map { case (size, n) => range(s"c${n % 3}", n / 3, size) }
  )

  property(
    "cut to the options' limits, the pieces in order are exactly the ranges, and touching ones differ by one at most"
  ) {
    forAll(fewer, slots, limits) { (ranges, slots, limits) =>
      val row    = RangeSplitter.tasks(ranges, slots, limits).flatten
      val joined = row.foldLeft(Vector.empty[OffsetRange]) {
        case (done :+ last, next) if last.id == next.id && last.until == next.from =>
          done :+ last.copy(until = next.until)
        case (done, next) => done :+ next
      }
      assertEquals(joined, ranges.sortBy(_.id).toVector)
      row.groupBy(_.id).values.foreach(pieces => assert(pieces.map(_.size).max - pieces.map(_.size).min <= 1, pieces))
    }
  }

  property("no task has more offsets than maxRecordsPerPartition") {
    forAll(fewer, slots, limits) { (ranges, slots, limits) =>
      val sizes = RangeSplitter.tasks(ranges, slots, limits).map(_.map(_.size).sum)
      assert(sizes.max <= limits.maxOffsets.getOrElse(Long.MaxValue), sizes)
    }
  }

  property("there are at least minPartitions tasks, or as many as offsets, and none is empty") {
    forAll(fewer, slots, limits) { (ranges, slots, limits) =>
      val tasks = RangeSplitter.tasks(ranges, slots, limits)
      val least = limits.minTasks.getOrElse(1L).min(ranges.map(_.size).sum)
      assert(tasks.size >= least && tasks.forall(_.nonEmpty), tasks.map(_.map(_.size)))
    }
  }

  test("minPartitions cuts large ranges first, in proportion, and leaves small ones whole") {
    val tasks =
      RangeSplitter.tasks(Seq(range("a", 0, 10), range("b", 0, 600), range("b", 1, 300)), 1, TaskLimits(Some(7)))
    assertEquals(
      tasks.map(_.map(_.size)),
      Vector(Vector(10L), Vector(150L), Vector(150L), Vector(150L), Vector(150L), Vector(150L), Vector(150L))
    )
  }

  test("minPartitions adds to the slots, and is no limit") {
    val ranges = (0 until 4).map(range("a", _, 1000000))
    assertEquals(RangeSplitter.tasks(ranges, 8, TaskLimits(minTasks = Some(2))).size, 4)
  }

  test("maxRecordsPerPartition makes as many tasks as it takes, small ranges together") {
    val ranges = Seq(range("a", 0, 2500), range("a", 1, 300), range("b", 0, 300))
    val tasks  = RangeSplitter.tasks(ranges, 1, TaskLimits(maxOffsets = Some(1000)))
    assertEquals(tasks.map(_.map(_.size)), Vector(Vector(834L), Vector(833L), Vector(833L), Vector(300L, 300L)))
  }

  test("where a partition must stay whole, both limits make tasks of whole ranges") {
    val ranges = (0 until 4).map(range("a", _, 300)) :+ range("b", 0, 2500)
    val least  = RangeSplitter.tasks(ranges, 1, TaskLimits(minTasks = Some(3), whole = true))
    assertEquals((least.size, least.flatten), (3, ranges.toVector))
    val most = RangeSplitter.tasks(ranges, 1, TaskLimits(maxOffsets = Some(700), whole = true))
    assertEquals(most.map(_.map(_.size)), Vector(Vector(300L, 300L), Vector(300L, 300L), Vector(2500L)))
    assertEquals(RangeSplitter.tasks(ranges, 1, TaskLimits(minTasks = Some(9), whole = true)).flatten, ranges.toVector)
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

  test("a partition of most of the records is read by one task, unless maxRecordsPerPartition cuts it evenly") {
    val ranges                    = (0 until 64).map(n => range("a", n, if (n == 0) 12000 else 120))
    val fair                      = ranges.map(_.size).sum / 64
    def sizes(limits: TaskLimits) =
      RangeSplitter.tasks(ranges, 64, limits, record = 50).map(_.map(_.size).sum)
    assertEquals(sizes(TaskLimits()).max, 12000L)
    val cut = sizes(TaskLimits(maxOffsets = Some(fair)))
    assert(cut.size >= 64 && cut.max * 10 <= fair * 13, cut)
  }

  test("nothing to read is no task") {
    assertEquals(RangeSplitter.tasks(Seq.empty, 8), Vector.empty[Vector[OffsetRange]])
  }

  test("without slots there is still a task") {
    assertEquals(RangeSplitter.tasks(Seq(range("a", 0, 5)), 0).size, 1)
  }
}
