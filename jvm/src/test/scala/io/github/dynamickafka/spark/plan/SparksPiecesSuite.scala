package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.{SourceOffset, SparkOffsetText}
import io.github.dynamickafka.spark.options.TaskLimits

/** Into how many pieces the ranges of a batch are cut, as Spark's own Kafka source cuts them. Which piece has the offset
  * that is left over may differ, and where no cut is asked for, several small ranges may be one task.
  */
class SparksPiecesSuite extends FunSuite {
  private def held(offsets: Seq[Int]): SourceOffset = {
    val partitions = offsets.zipWithIndex.map { case (offset, n) => s""""$n":$offset""" }.mkString(",")
    SparkOffsetText.held(s"""{"t":{$partitions}}""", ClusterId("kafka")).getOrElse(fail("it is no offset"))
  }

  private def tasks(least: Option[Long], sizes: Int*): Vector[Vector[OffsetRange]] =
    RangeSplitter.tasks(OffsetRanges.between(held(sizes.map(_ => 1)), held(sizes.map(_ + 1))), 1, TaskLimits(least))

  /** How many pieces each partition has, after a look that they are all of it. */
  private def pieces(tasks: Vector[Vector[OffsetRange]], sizes: Seq[Int]): Seq[Int] =
    sizes.zipWithIndex.map { case (size, partition) =>
      val own = tasks.flatten.filter(_.id.partition == partition)
      assertEquals(own.map(_.size).sum, size.toLong)
      assert(own.zip(own.drop(1)).forall { case (one, next) => one.until == next.from }, own)
      own.size
    }

  for {
    (claim, least, sizes, expected) <- Seq(
      ("without a least number each partition is one range", None, Seq(1), Seq(1)),
      ("without a least number what is empty is left out", None, Seq(1, 0), Seq(1, 0)),
      ("as many partitions as asked for are one range each", Some(3L), Seq(1, 1, 1), Seq(1, 1, 1)),
      ("one partition is cut into as many as asked for", Some(4L), Seq(4), Seq(4)),
      ("of unequal partitions the larger is cut", Some(4L), Seq(4, 20), Seq(1, 3)),
      ("what is empty counts as none of those asked for", Some(4L), Seq(0, 20), Seq(0, 4)),
      ("of very unequal partitions the small one is whole", Some(4L), Seq(1, 1000), Seq(1, 3)),
      ("fewer than there are partitions cut nothing", Some(1L), Seq(4, 20), Seq(1, 1)),
      ("a size that can't be shared evenly is read to its end", Some(3L), Seq(10), Seq(3)),
      ("what is empty is left out", Some(4L), Seq(4, 20, 0), Seq(1, 3, 0)),
      ("large partitions are cut by their sizes", Some(9L), Seq(10000, 15000, 20000), Seq(2, 3, 4)),
      ("one small partition is whole, two large ones are cut", Some(6L), Seq(500, 12000, 15001), Seq(1, 2, 3)),
      ("two small partitions are whole, a large one is cut", Some(6L), Seq(1, 1, 10000), Seq(1, 1, 4)),
      ("a partition of two records is cut where one more is asked for", Some(4L), Seq(1, 1, 2), Seq(1, 1, 2))
    )
  } test(s"the pieces are those of Spark's own source: $claim") {
    val cut = tasks(least, sizes: _*)
    assertEquals(pieces(cut, sizes), expected)
    assert(cut.size >= least.getOrElse(1L), cut)
  }

  test("no offset is dropped, and where Spark's own source makes one piece more than asked for, here it is as many") {
    val sizes = Seq(10, 10, 1)
    val cut   = tasks(Some(6), sizes: _*)
    assertEquals((cut.size, pieces(cut, sizes)), (6, Seq(3, 2, 1)))
  }
}
