package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.{InMemoryDecisionStore, ScriptedClusters}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.realtime.TakenPart
import io.github.dynamickafka.spark.topology.Topology

/** A real-time batch is not committed, and the one behind it has begun, under another id. */
class BeginningsBehindSuite extends FunSuite with LiveScenes {
  private def logged(offset: SourceOffset) = OffsetJson.read(OffsetJson.write(offset))

  private val line = """{"orders":{"0":5}}"""
  private val eu   = listed("eu" -> topics("orders").continuing("old").startingAt(line))
  private val eu2  = listed("eu2" -> topics("orders").continuing("eu", "old"))

  /** @param behind whether the batch behind it has begun
    * @param first Kafka's id of the topic of `old` by then
    */
  private def story(later: Topology, id: String, behind: Boolean = true, first: String = "T0"): Unit = {
    val (store, kafka)               = (new InMemoryDecisionStore, new ScriptedClusters)
    def old(topic: String, end: Int) = kafka.now("old", answer("orders" -> has(0 -> end).of(topic)).of("K0"))
    old("T0", 7)
    kafka.now("eu", answer("orders" -> has(0 -> 10).of("T1")).of("K1"))
    kafka.now("eu2", answer("orders" -> has(0 -> 10).of("T2")).of("K2"))
    val committed = using(new Live(kafka, listed("old" -> topics("orders")), realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val committed = logged(here.ends(TakenPart(0, 7)))
      here.next(eu)
      // Records 5 and 6 of eu are its own: its producers wrote them after mirroring had ended at 5.
      assertEquals(here.begins(committed), Vector("eu 0 5"))
      val next = logged(here.ends(TakenPart(0, 10)))
      here.driver.committed(committed)
      old(first, 10)
      here.next(later)
      if (behind) assertEquals(here.begins(next), Vector(s"$id 0 10"))
      committed
    }
    using(new Live(kafka, later, realTime(), store)) { again =>
      assertEquals(again.begins(committed), Vector(s"$id 0 5"))
    }
  }

  test("control: the next beginning is of the same id")(story(eu, "eu"))

  test("control: the batch is not committed and nothing begins behind it")(story(eu, "eu", behind = false))

  test("the mirror's own records are read again, though a third id had taken over in the next beginning")(
    story(eu2, "eu2")
  )

  private val back = listed("old" -> topics("orders").continuing("eu"))

  test("so are they, where the log was handed back to the first id")(story(back, "old"))

  test("so are they, where it was handed back to a topic that was created again")(story(back, "old", first = "T3"))

  // Renames: one Kafka cluster.
  private val first   = listed("one" -> topics("orders"))
  private val renamed = listed("two" -> topics("orders").continuing("one"))

  private def renames(before: Seq[Int], now: Seq[Int], behind: Boolean): Vector[String] = {
    val (store, kafka)       = (new InMemoryDecisionStore, new ScriptedClusters)
    def same(ends: Seq[Int]) = {
      val one = answer("orders" -> has(ends.map(0 -> _): _*).of("T")).of("K")
      Seq("one", "two").foreach(kafka.now(_, one))
    }
    same(before)
    val start = using(new Live(kafka, first, realTime(), store)) { here =>
      here.begins(SourceOffset.initial): Unit
      val start =
        if (now == before) SourceOffset.initial
        else {
          val start = logged(here.ends(before.zipWithIndex.map { case (end, i) => TakenPart(i, end.toLong) }: _*))
          same(now)
          here.begins(start): Unit
          start
        }
      val next = logged(here.ends(now.zipWithIndex.map { case (end, i) => TakenPart(i, end.toLong) }: _*))
      if (start != SourceOffset.initial) here.driver.committed(start)
      here.next(renamed)
      if (behind) here.begins(next): Unit
      start
    }
    using(new Live(kafka, renamed, realTime(), store))(_.begins(start))
  }

  test("control: what the first batch of a query read is read again under a new id")(
    assertEquals(renames(Seq(10), Seq(10), behind = false), Vector("two 0 0"))
  )

  test("what the first batch of a query read is read again, though a new id had taken over behind it")(
    assertEquals(renames(Seq(10), Seq(10), behind = true), Vector("two 0 0"))
  )

  test("control: so is a partition that had appeared in it")(
    assertEquals(renames(Seq(10), Seq(12, 8), behind = false), Vector("two 0 10", "two 1 0"))
  )

  test("so is a partition that had appeared in it, though a new id had taken over behind it")(
    assertEquals(renames(Seq(10), Seq(12, 8), behind = true), Vector("two 0 10", "two 1 0"))
  )
}
