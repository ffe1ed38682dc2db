package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.driver.memory.OpenDrains
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** Where only committed records are read: what an open transaction holds back was written all the same. */
class OpenTransactionSuite extends FunSuite {
  private val orders  = topics("orders")
  private val removed = listed("us" -> orders)
  private val later   = Duration.ofHours(1)

  private def under(id: String, cluster: ListedCluster = orders): Topology = listed(id -> cluster, "us" -> orders)

  /** The brokers of `eu`, which are those of `europe`. */
  private def said(latest: Int, written: Int): Seq[(String, ClusterObservation)] =
    Seq("eu", "europe").map { id =>
      id -> answer("orders" -> has(0 -> latest).writtenTo(0 -> written).of("T1")).of("K1")
    } :+ ("us" -> answer("orders" -> has(0 -> 3)).of("K2"))

  private val query = Query(fromEarliest).sees(under("eu"))(said(10, 10): _*).read

  private def quiet(seen: Seen): Unit = assertEquals((seen.ranges, seen.notices), (Vector.empty, Vector.empty))

  test("while it is listed it is read once the transaction has ended") {
    val waiting = query.sees(under("eu"))(said(10, 15): _*)
    quiet(waiting)
    assertEquals(waiting.read.after(later).sees(under("eu"))(said(16, 16): _*).ranges, Vector("eu orders 0 10-16"))
  }

  test("at a removal it drains once the transaction has ended, and nothing beyond") {
    val drains = query.sees(removed)(said(12, 15): _*)
    assertEquals(drains.ranges, Vector("eu orders 0 10-12"))
    val waiting = drains.read.after(later).sees(removed)(said(12, 20): _*)
    quiet(waiting)
    assertEquals(Seq(drains, waiting).map(_.events.mkString), Seq.fill(2)("cluster=eu heldBack=3 topic=orders"))
    assertEquals(waiting.read.sees(removed)(said(20, 20): _*).ranges, Vector("eu orders 0 12-15"))
    assertEquals(waiting.read.sees(removed)(said(20, 20): _*).events, Vector.empty)
  }

  test("a drain that is paused waits for no transaction") {
    val drains = query.sees(removed)(said(12, 15): _*).read
    val paused = under("eu", topics().pausing("orders"))
    assertEquals(drains.sees(paused)(said(12, 15): _*).events, Vector.empty)
  }

  test("what lies beyond a drain's end is counted though a transaction holds it back") {
    val drains = query.sees(removed)(said(12, 12): _*)
    val later  = drains.readSome(_ => Map.empty).sees(removed)(said(12, 20): _*)
    val open   = OpenDrains.none.asked(later.input.seen, drains.query.held, later.offset)
    assertEquals(open.ended(later.read.held)._1.map(_.beyond), Vector(8L))
  }

  test("a time that nothing was written at or after begins behind what is held back, which was written before it") {
    val timed = Query(fromEarliest.copy(starting = rule("""{"timestamp": 900}""")))
    val seen  = timed.sees(under("eu"), { case Question(_, _) => None })(said(10, 15): _*)
    assertEquals(seen.positions, Vector("eu orders 0 [15,15,0]", "us orders 0 [3,3,0]"))
  }

  test("under a new id of its cluster it is read on behind the transaction's records once that has ended") {
    val renamed = under("europe", orders.continuing("eu"))
    val first   = query.sees(renamed)(said(12, 15): _*)
    assertEquals(first.ranges.filter(_.contains("orders")), Vector("europe orders 0 10-12"))
    assertEquals(first.read.after(later).sees(renamed)(said(18, 18): _*).ranges, Vector("europe orders 0 12-18"))
  }

  test("a position within it, from a time when all records were read, is no sign that the log was cut off") {
    val first = query.sees(under("eu"))(said(4, 10): _*)
    quiet(first)
    quiet(first.read.after(later).sees(under("eu"))(said(4, 10): _*))
  }
}
