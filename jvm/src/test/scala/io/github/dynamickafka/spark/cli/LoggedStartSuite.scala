package io.github.dynamickafka.spark.cli

import com.fasterxml.jackson.databind.JsonNode
import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}

/** `offsets CHECKPOINT` where a batch that is logged and not committed has begun something, or handed it over. */
class LoggedStartSuite extends FunSuite {
  private val eu     = listed("eu" -> topics("orders"))
  private val first  = Query(fromEarliest).sees(eu)("eu" -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1")).read
  private val latest = Query(policy.copy(starting = rule("latest")))

  private def starting(end: SourceOffset, logged: SourceOffset): JsonNode = {
    val request = Json.obj("offset" -> OffsetJson.write(end), "logged" -> OffsetJson.write(logged))
    OffsetsCommand.json(Request.read(request.toString)).path("starting")
  }

  test("a renamed cluster begins under its new id where that batch begins") {
    val renamed = listed("new" -> topics("orders").continuing("eu"))
    val logged  = first.sees(renamed)("new" -> answer("orders" -> has(0 -> 1200).of("T1")).of("K1")).read.held
    val found   = starting(first.held, logged)
    assertEquals(found.path("new").path("orders").path("0").asLong, 1000L, found.toString)
  }

  test("a cluster that was added at its end begins there, and what was held stays") {
    val more   = listed("eu" -> topics("orders"), "us" -> topics("orders").startingAt("latest"))
    val logged = first.sees(more)(
      "eu" -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1"),
      "us" -> answer("orders" -> has(0 -> 5000).of("T2")).of("K2")
    ).read.held
    val found = starting(first.held, logged)
    assertEquals(found.path("us").path("orders").path("0").asLong, 5000L, found.toString)
    assertEquals(found.path("eu").path("orders").path("0").asLong, 1000L, found.toString)
  }

  test("a first batch from `latest` begins where its logs ended then") {
    val begun = latest.sees(eu)("eu" -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1")).read.held
    val none  = OffsetJson.read("{\"version\":1,\"clusters\":{}}")
    val found = starting(none, begun)
    assertEquals(found.path("eu").path("orders").path("0").asLong, 1000L, found.toString)
  }
}
