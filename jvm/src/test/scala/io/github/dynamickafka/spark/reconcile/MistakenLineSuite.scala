package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp

/** A cluster that can't be reached has a rule of its own, whatever `continues` it is listed with for a while. Its partitions
  * that the earlier id did not have are new.
  */
class MistakenLineSuite extends FunSuite with MovingLog {
  private val hours3 = Duration.ofHours(3)

  // Nobody leads partition 1 of `eu`. It begins at 8, by its own offsets.
  private val euOwn   = orders.startingAt("""{"orders":{"1":8}}""")
  private def unledEu = "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")
  private val apart   = listed("eu" -> euOwn, "new" -> orders)
  private val joined  = listed("eu" -> euOwn, "new" -> orders.continuing("eu"))
  private def begun   = Query(skipping).sees(listed("eu" -> euOwn))(unledEu).read.after(hours3)

  private def beginsAlone(query: Query): Unit = {
    val seen = query.after(hours3).sees(apart)(unledEu, mirror(10, 9))
    assertEquals(seen.ranges, Vector("new orders 0 0-10", "new orders 1 0-9"))
  }

  test("control: it was never joined")(beginsAlone(begun.sees(apart)(unledEu).read))

  test("it is listed apart, then joined by mistake, then apart again") {
    beginsAlone(begun.sees(apart)(unledEu).read.after(hours3).sees(joined)(unledEu).read)
  }

  test("it is first listed with the mistaken line") {
    beginsAlone(begun.sees(joined)(unledEu).read)
  }

  test("the same where the earlier id was off the list meanwhile") {
    val alone = listed("new" -> orders.continuing("eu"))
    beginsAlone(begun.sees(alone)(unledEu).read)
    beginsAlone(begun.sees(apart)(unledEu).read.after(hours3).sees(alone)(unledEu).read)
  }

  for (
    (how, listing) <-
      Seq("a standby" -> listed("eu" -> euOwn, "new" -> next.paused), "the only one" -> listed("new" -> next.paused))
  )
    test(s"the same where it is paused with the mistaken line, as $how") {
      beginsAlone(begun.sees(listing)(unledEu, mirror(10, 9)).read)
    }

  test("the same by `latest` of an earlier id that was never reached either") {
    val policy           = skipping.copy(starting = rule("latest"), newCluster = rule("earliest"))
    val two              = listed("eu" -> orders, "new" -> orders)
    val away             = Query(policy).sees(old)().read.after(hours3).sees(two)().read
    val line             = away.after(hours3).sees(both)().read
    val resolve: Resolve = { case Question(_, Timestamp(_)) => Some(7L) }
    for (query <- Seq(away, line))
      assertEquals(query.after(hours3).sees(two, resolve)(mirror(10)).ranges, Vector("new orders 0 0-10"))
  }

  test("the same by offsets of that id") {
    val euAt  = orders.startingAt("""{"orders":{"0":100}}""")
    val alone = listed("eu" -> euAt, "new" -> orders)
    val line  = Query(skipping).sees(alone)().read.after(hours3).sees(listed("eu" -> euAt, "new" -> next))().read
    assertEquals(line.after(hours3).sees(alone)(mirror(120)).ranges, Vector("new orders 0 0-120"))
  }

  for (own <- Seq("""{"orders":"latest"}""", """{"orders":{"timestamp":1}}"""))
    test(s"a partition that the earlier id did not have is new, though a standby with $own was out of reach") {
      val standby = next.startingAt(own)
      val away    = Query(skipping).sees(old)(eu(10)).read.after(hours3)
        .sees(listed("eu" -> orders, "new" -> standby))(eu(10)).read
      val resolve: Resolve = { case Question(_, Timestamp(_)) => Some(4L) }
      val taken            = away.after(hours3).sees(listed("new" -> standby), resolve)(mirror(10, 9))
      assertEquals(taken.ranges, Vector("new orders 1 0-9"))
    }
}
