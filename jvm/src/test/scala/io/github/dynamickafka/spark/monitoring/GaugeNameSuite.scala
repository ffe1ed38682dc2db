package io.github.dynamickafka.spark.monitoring

import javax.management.ObjectName

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.metrics.Metric

/** The names of gauges. What Prometheus makes of them is tested in `tests/scenarios/test_monitoring.py`. */
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
      for (word <- Seq("_source_", "_cluster_", "_state_", "_pending_records"))
        assert(!GaugeName.escaped(before + word + after).contains(word))
    }
  }

  property("the name of a bean has each id as it is, in quotes only if it must be") {
    forAll { (application: String, query: String, cluster: String) =>
      val ids  = Map("application" -> application, "query" -> query, "cluster" -> cluster)
      val name = GaugeName(Vector("query" -> query, "cluster" -> cluster), "time_lag_seconds").bean(application)
      assert(name.getKeyPropertyListString.startsWith("type=cluster,"), name)
      val read = ids.map { case (key, _) => key -> name.getKeyProperty(key) }
      assertEquals(read.map { case (key, id) => key -> (if (id.startsWith("\"")) ObjectName.unquote(id) else id) }, ids)
      for ((key, id) <- ids if !id.exists(",=:\"*?\n".contains(_))) assertEquals(read(key), id)
    }
  }

  private val source = Vector("query" -> "orders", "source" -> "0")

  private def paths(key: String, value: String): Vector[String] = GaugeName.of(source, key, value).map(_.path)

  test("a number is a gauge, and a text is none") {
    assertEquals(paths("pendingRecords", "12"), Vector("query.orders.source.0.pending_records"))
    assertEquals(paths("avgOffsetsBehindLatest", "0.5"), Vector("query.orders.source.0.avg_offsets_behind_latest"))
    assertEquals(paths("lastTopologyChange", "2026-01-01T00:00:00Z vanished=b"), Vector.empty)
    assertEquals(paths("metadataLastError", "[DYNAMIC_KAFKA_METADATA_UNAVAILABLE] no"), Vector.empty)
    assertEquals(paths("sourceIdleTime", "NaN"), Vector.empty)
  }

  test(
    "names are in snake case with base units, and only what is counted since the start of the query ends in _total"
  ) {
    val names = Metric.all.flatMap(_.gauge)
    assertEquals(names.filterNot(_.matches("[a-z]+(_[a-z]+)*")), Nil)
    assertEquals(names.filter(_.matches("milli.*|.*_ms|.*_count")), Nil)
    val timed = Metric.all.filter(one => Set("ms", "s")(one.unit))
    assertEquals(timed.flatMap(_.gauge).filterNot(_.endsWith("_seconds")), Nil)
    assertEquals(timed.flatMap(_.number("1500")).map(_.doubleValue).toSet, Set(1.5, 1500.0))
    val counted = Metric.all.filter(_.doc.contains("since the query started")).filterNot(_.unit == "text")
    assertEquals(names.filter(_.endsWith("_total")), counted.flatMap(_.gauge))
  }

  test("a cluster's id may have dots, and may be a word of ours") {
    assertEquals(
      paths("cluster.eu.west-1.timeLag", "7"),
      Vector("query.orders.source.0.cluster.eu_2ewest_2d1.time_lag_seconds")
    )
    assertEquals(
      paths("cluster.cluster.timeLag", "7"),
      Vector("query.orders.source.0.cluster.cluster.time_lag_seconds")
    )
  }

  test("a state and each condition of a cause are gauges by themselves") {
    def marks(key: String, value: String) = paths(key, value).map(_.stripPrefix("query.orders.source.0.cluster.eu."))
    assertEquals(marks("cluster.eu.state", "draining"), Vector("state.draining"))
    val two = "[DYNAMIC_KAFKA_NOT_AUTHORIZED] Topic a. [DYNAMIC_KAFKA_DATA_LOSS] Topic b. [DYNAMIC_KAFKA_DATA_LOSS] c."
    assertEquals(marks("cluster.eu.cause", two), Vector("cause.NOT_AUTHORIZED", "cause.DATA_LOSS"))
    val open = "Draining topic a waits for the end of an open transaction, which holds back 3 records."
    assertEquals(marks("cluster.eu.cause", open), Vector("cause.OPEN_TRANSACTION"))
    assertEquals(marks("cluster.eu.cause", "Something else."), Vector("cause.OTHER"))
  }
}
