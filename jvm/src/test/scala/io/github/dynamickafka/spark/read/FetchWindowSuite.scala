package io.github.dynamickafka.spark.read

import munit.ScalaCheckSuite
import org.apache.kafka.common.TopicPartition
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

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
    val window = ReaderFixture.window(130, Seq(places("a", 9, 10), places("b", 1, 10), places("c", 4, 10)))
    assertEquals(names(window.opened()), "a0 a1 a2 a3 a4 a5 a6 a7 b0 c0 c1 c2 c3")
    window.ended(10, before = 0, after = 0): Unit
    assertEquals(names(window.opened()), "a8")
  }

  test(
    "the example of the bound: at the defaults 128 partitions are fetched at a time, and four count 10 MiB when kept"
  ) {
    val MiB            = 1L << 20
    val defaults       = FetchSizes.of(new ConnectionSettings(Map.empty))
    def of(count: Int) = ReaderFixture.window(256 * MiB, Seq(places("a", count, FetchWindow.whileFetched(defaults))))
    assertEquals(of(200).opened().size, 128)
    val four = of(4)
    assertEquals(four.opened().map(_.bytes).sum, 8 * MiB)
    assert(!four.carries(248 * MiB + 1) && four.carries(248 * MiB))
    assertEquals((1 to 4).map(FetchWindow.whileKept(defaults, _)).sum, 10 * MiB)
  }

  test("what is larger than the limit is fetched all the same, alone") {
    val window = ReaderFixture.window(100, Seq(places("a", 1, 1000), places("b", 1, 10), places("c", 1, 1000)))
    assertEquals(names(window.opened()), "a0")
    assertEquals(window.opened(), Vector.empty)
    for ((bytes, next) <- Vector(1000L -> "b0", 10L -> "c0")) {
      window.ended(bytes, before = 0, after = 0): Unit
      assertEquals(names(window.opened()), next)
    }
  }

  test("what is kept has the room that fetching leaves, and what was held before makes room again") {
    val window = ReaderFixture.window(100, Seq(places("a", 1, 60)))
    window.opened(): Unit
    assert(!window.carries(41))
    assert(window.carries(15) && window.carries(25) && !window.carries(1))
    assert(window.ended(60, before = 25, after = 85), "15 are kept, and 100 fit")
    assert(!window.carries(1))
  }

  test("what is kept leaves that much less to be opened, and nothing is kept while others wait") {
    val window = ReaderFixture.window(100, Seq(places("a", 5, 30)))
    assert(window.carries(50))
    assertEquals(names(window.opened()), "a0")
    assert(!window.ended(30, before = 0, after = 1))
  }

  test("what makes room defers what was held of it, too") {
    val window = ReaderFixture.window(100, Seq(places("a", 1, 40), places("b", 2, 40)))
    assert(window.carries(30))
    val standing = window.opened()
    assertEquals(names(standing), "a0")
    assert(window.requeued(standing, advanced = true))
    assertEquals(names(window.opened()), "b0 b1")
  }

  property("each is opened once, and never are more open than fit, in whatever order they end") {
    val cases = for {
      limit    <- Gen.choose(1L, 60L)
      clusters <- Gen.listOf(Gen.zip(Gen.choose(0, 6), Gen.choose(1L, 40L)))
      picks    <- Gen.infiniteLazyList(Gen.choose(0, 1000))
    } yield (limit, clusters, picks)
    // To shrink endless choices would take for ever.
    forAllNoShrink(cases) { case (limit, clusters, picks) =>
      val all = clusters.zipWithIndex.map { case ((count, bytes), n) => places(s"c$n", count, bytes) }
      @annotation.tailrec
      def run(window: FetchWindow, open: Vector[Place], seen: Vector[Place], picks: LazyList[Int]): Vector[Place] = {
        val more = window.opened()
        val now  = open ++ more
        assert(now.size == 1 || now.map(_.bytes).sum <= limit, s"too much: $now")
        if (now.isEmpty) seen
        else {
          val end = now(picks.head % now.size)
          window.ended(end.bytes, before = 0, after = 0): Unit
          run(window, now.filterNot(_ == end), seen ++ more, picks.tail)
        }
      }
      val seen = run(ReaderFixture.window(limit, all), Vector.empty, Vector.empty, picks)
      assertEquals(seen.toSet, all.flatten.toSet)
      assertEquals(seen.size, all.map(_.size).sum)
    }
  }
}
