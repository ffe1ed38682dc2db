package io.github.dynamickafka.spark.cli

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{Continuation, OffsetJson, OffsetPoint, OffsetRule, SourceOffset}

/** `offsets CHECKPOINT` where a batch that is logged and not committed has found that a topic was created again. */
class LoggedContinuationSuite extends FunSuite {
  private val lax = skipping.copy(failOnDataLoss = false)
  private val eu  = listed("eu" -> topics("orders", "other"))

  private def seen(id: String, end: Int) =
    "eu" -> answer("orders" -> has(0 -> end, 0 -> end).of(id), "other" -> has(0 -> 10).of("T9")).of("K1")

  private val first = Query(lax).sees(eu)(seen("T1", 1000)).read

  private def again(end: SourceOffset, logged: SourceOffset): Query = {
    val request  = Json.obj("offset" -> OffsetJson.write(end), "logged" -> OffsetJson.write(logged))
    val starting = Continuation.of(Request.read(request.toString).reached.get).starting
    Query(lax.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), starting)))
  }

  private val whole = Vector("eu orders 0 0-1200", "eu orders 1 0-1200")

  test("control: all partitions of the new topic are led at once") {
    val logged = first.sees(eu)(seen("T2", 50)).read
    assertEquals(again(first.held, logged.held).sees(eu)(seen("T2", 1200)).ranges, whole)
  }

  test("a new query reads all of the new topic, also a partition that has no leader yet") {
    val half = "eu" -> answer(
      "orders" -> only(1 -> (0 -> 50)).of("T2").leaderless(0),
      "other"  -> has(0 -> 10).of("T9")
    ).of("K1")
    val logged = first.sees(eu)(half).read
    // The query itself, started again.
    assertEquals(logged.sees(eu)(seen("T2", 1200)).ranges, Vector("eu orders 0 0-1200", "eu orders 1 50-1200"))
    assertEquals(again(first.held, logged.held).sees(eu)(seen("T2", 1200)).ranges, whole)
  }

  test("so it does where the topic was off the list when it was created again") {
    val other  = listed("eu" -> topics("other"))
    val logged = first.sees(other)(seen("T2", 50)).read
    assertEquals(logged.sees(eu)(seen("T2", 1200)).ranges, whole)
    assertEquals(again(first.held, logged.held).sees(eu)(seen("T2", 1200)).ranges, whole)
  }
}
