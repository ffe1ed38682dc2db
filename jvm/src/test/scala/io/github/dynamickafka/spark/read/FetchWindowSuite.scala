package io.github.dynamickafka.spark.read

import munit.ScalaCheckSuite
import org.apache.kafka.common.TopicPartition
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.RecordedConsumer
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.FetchSizes
import io.github.dynamickafka.spark.read.FetchWindow.Place
import io.github.dynamickafka.spark.topology.ConnectionSettings

class FetchWindowSuite extends ScalaCheckSuite {
  private def places(cluster: String, count: Int, bytes: Long): Vector[Place] =
    Vector.tabulate(count)(n => Place(ClusterId(cluster), new TopicPartition("orders", n), bytes))

  private def names(places: Seq[Place]): String =
    places.map(place => s"${place.cluster}${place.partition.partition}").mkString(" ")

  test("the first eight of each cluster are opened before any more of one, as many as fit") {
    val window = FetchWindow.of(130, Seq(places("a", 9, 10), places("b", 1, 10), places("c", 4, 10)))
    assertEquals(names(window.opened._2), "a0 a1 a2 a3 a4 a5 a6 a7 b0 c0 c1 c2 c3")
    assertEquals(names(window.opened._1.waiting), "a8")
  }

  test(
    "the example of the bound: at the defaults 128 partitions are fetched at a time, and four count 16 MiB when kept"
  ) {
    val MiB              = 1L << 20
    val defaults         = FetchSizes.of(new ConnectionSettings(Map.empty))
    val (window, opened) =
      FetchWindow.of(256 * MiB, Seq(places("a", 200, FetchWindow.whileFetched(defaults)))).opened
    assertEquals((opened.size, window.waiting.size), (128, 72))
    val four = FetchWindow.of(256 * MiB, Seq(places("a", 4, FetchWindow.whileFetched(defaults)))).opened._1
    assertEquals(four.fetched, 8 * MiB)
    val each = FetchWindow.whileKept(defaults, together = 4, putBack = java.util.List.of())
    assertEquals(4 * each, 16 * MiB)
  }

  test("records that are put back count on top of the answer, each with the objects around it") {
    val record = RecordedConsumer.record(new TopicPartition("orders", 0), offset = 7)
    val sizes  = FetchSizes(partition = 10, answer = 25)
    assertEquals(FetchWindow.whileKept(sizes, together = 4, putBack = java.util.List.of(record)), 25L + 1 + 200)
  }

  test("what is larger than the limit is fetched all the same, alone") {
    val (first, large) = FetchWindow.of(100, Seq(places("a", 1, 1000), places("b", 1, 10), places("c", 1, 1000))).opened
    assertEquals(names(large), "a0")
    assertEquals(first.opened._2, Vector.empty)
    val (second, small) = first.ended(1000, held = 0).opened
    assertEquals(names(small), "b0")
    assertEquals(names(second.ended(10, held = 0).opened._2), "c0")
  }

  test("what is kept has the room that fetching leaves, and what was held before makes room again") {
    val window = FetchWindow.of(100, Seq(places("a", 1, 60))).opened._1
    assertEquals(window.keeping(41), None)
    val full = window.keeping(15).flatMap(_.keeping(25)).getOrElse(fail("it fits"))
    assertEquals(full.keeping(1), None)
    assertEquals(full.ended(60, held = 25).keeping(85).map(_.kept), Some(100L))
  }

  test("what is kept leaves that much less to be opened") {
    val window = FetchWindow.of(100, Seq(places("a", 5, 30))).copy(kept = 50)
    assertEquals(names(window.opened._2), "a0")
  }

  property("each is opened once, and never are more open than fit, in whatever order they end") {
    val cases = for {
      limit    <- Gen.choose(1L, 60L)
      clusters <- Gen.listOf(Gen.zip(Gen.choose(0, 6), Gen.choose(1L, 40L)))
      picks    <- Gen.infiniteLazyList(Gen.choose(0, 1000))
    } yield (limit, clusters, picks)
    forAll(cases) { case (limit, clusters, picks) =>
      val all = clusters.zipWithIndex.map { case ((count, bytes), n) => places(s"c$n", count, bytes) }
      @annotation.tailrec
      def run(window: FetchWindow, open: Vector[Place], seen: Vector[Place], picks: LazyList[Int]): Vector[Place] = {
        val (next, more) = window.opened
        val now          = open ++ more
        assert(now.size == 1 || now.map(_.bytes).sum <= limit, s"too much: $now")
        if (now.isEmpty) seen
        else {
          val end = now(picks.head % now.size)
          run(next.ended(end.bytes, held = 0), now.filterNot(_ == end), seen ++ more, picks.tail)
        }
      }
      val seen = run(FetchWindow.of(limit, all), Vector.empty, Vector.empty, picks)
      assertEquals(seen.toSet, all.flatten.toSet)
      assertEquals(seen.size, all.map(_.size).sum)
    }
  }
}
