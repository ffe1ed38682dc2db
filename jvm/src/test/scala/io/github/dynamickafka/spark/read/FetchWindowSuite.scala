package io.github.dynamickafka.spark.read

import munit.ScalaCheckSuite
import org.apache.kafka.common.TopicPartition
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.FetchWindow.Place

class FetchWindowSuite extends ScalaCheckSuite {
  private def places(cluster: String, count: Int, bytes: Long): Vector[Place] =
    Vector.tabulate(count)(n => Place(ClusterId(cluster), new TopicPartition("orders", n), bytes))

  private def names(places: Seq[Place]): String =
    places.map(place => s"${place.cluster}${place.partition.partition}").mkString(" ")

  test("the first of each cluster is opened before the second of any, as many as fit into half of the limit") {
    val window = FetchWindow.of(100, Seq(places("a", 3, 10), places("b", 1, 10), places("c", 2, 10)))
    assertEquals(names(window.opened._2), "a0 b0 c0 a1 c1")
    assertEquals(names(window.opened._1.waiting), "a2")
  }

  test("what is larger than the limit is fetched all the same, alone") {
    val (first, large) = FetchWindow.of(100, Seq(places("a", 2, 1000), places("b", 1, 10))).opened
    assertEquals(names(large), "a0")
    assertEquals(first.opened._2, Vector.empty)
    val (second, small) = first.ended(1000, held = 0).opened
    assertEquals(names(small), "b0")
    assertEquals(names(second.ended(10, held = 0).opened._2), "a1")
  }

  test("what is kept has half of the limit to itself, and gets room again from what was held before") {
    val window = FetchWindow.of(100, Nil)
    assertEquals(window.keeping(51), None)
    val full = window.keeping(30).flatMap(_.keeping(20)).getOrElse(fail("it fits"))
    assertEquals(full.keeping(1), None)
    val again = full.copy(open = 1, fetched = 10).ended(10, held = 20)
    assertEquals(again.keeping(20).map(_.kept), Some(50L))
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
        assert(now.size == 1 || now.map(_.bytes).sum <= limit / 2, s"too much: $now")
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
