package io.github.dynamickafka.spark.monitoring

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.monitoring.GaugeName.{Figure, Mark}

/** The names of gauges. What becomes of them in Prometheus is tested in `tests/monitoring`. */
class GaugeNameSuite extends ScalaCheckSuite {

  private val Escape = "_u([0-9a-f]{4})|_([0-9a-f]{2})".r

  private def read(escaped: String): String = Escape.replaceAllIn(
    escaped,
    found => {
      val code = Option(found.group(1)).getOrElse(found.group(2))
      java.util.regex.Matcher.quoteReplacement(Integer.parseInt(code, 16).toChar.toString)
    }
  )

  test("an id of letters and digits stays, and other characters are escaped") {
    val known =
      Vector("Orders1" -> "Orders1", "eu-1" -> "eu_2d1", "a_b.c" -> "a_5fb_2ec", "é€" -> "_e9_u20ac", "" -> "")
    assertEquals(known.map { case (id, _) => GaugeName.escaped(id) }, known.map(_._2))
  }

  property("an escaped id can be read again, and Spark's servlet for Prometheus does not change it") {
    forAll { (id: String) =>
      val escaped = GaugeName.escaped(id)
      assertEquals(read(escaped), id)
      assertEquals(escaped.replaceAll("[^a-zA-Z0-9]", "_"), escaped)
    }
  }

  property("no id looks as if a word between two ids stood in it") {
    forAll { (before: String, after: String) =>
      for (word <- Seq("_source_", "_cluster_", "_state_", "_pendingRecords"))
        assert(!GaugeName.escaped(before + word + after).contains(word))
    }
  }

  test("a number is a gauge, and a text is none") {
    assertEquals(GaugeName.of("pendingRecords", "12"), Vector(Figure("pendingRecords")))
    assertEquals(GaugeName.of("avgOffsetsBehindLatest", "0.5"), Vector(Figure("avgOffsetsBehindLatest")))
    assertEquals(GaugeName.of("lastTopologyChange", "2026-01-01T00:00:00Z vanished=b"), Vector.empty)
    assertEquals(GaugeName.of("metadataLastError", "[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] no"), Vector.empty)
    assertEquals(GaugeName.of("sourceIdleTime", "NaN"), Vector.empty)
  }

  test("a cluster's id may have dots, and may be a word of ours") {
    assertEquals(GaugeName.of("cluster.eu.west-1.timeLag", "7"), Vector(Figure("cluster.eu_2ewest_2d1.timeLag")))
    assertEquals(GaugeName.of("cluster.cluster.timeLag", "7"), Vector(Figure("cluster.cluster.timeLag")))
  }

  test("a state and each condition of a cause are gauges by themselves") {
    assertEquals(GaugeName.of("cluster.eu.state", "draining"), Vector(Mark("cluster.eu.state.draining")))
    val two = "[DYNAMIC_KAFKA_NOT_AUTHORIZED] Topic a. [DYNAMIC_KAFKA_DATA_LOSS] Topic b. [DYNAMIC_KAFKA_DATA_LOSS] c."
    assertEquals(
      GaugeName.of("cluster.eu.cause", two),
      Vector(Mark("cluster.eu.cause.NOT_AUTHORIZED"), Mark("cluster.eu.cause.DATA_LOSS"))
    )
    val open = "Draining topic a waits for the end of an open transaction, which holds back 3 records."
    assertEquals(GaugeName.of("cluster.eu.cause", open), Vector(Mark("cluster.eu.cause.OPEN_TRANSACTION")))
    assertEquals(GaugeName.of("cluster.eu.cause", "Something else."), Vector(Mark("cluster.eu.cause.OTHER")))
  }
}
