package io.github.dynamickafka.spark.monitoring

import java.time.Instant

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry
import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.status.QueryIdentity

/** When gauges come and go, as Spark's metrics system sees it. The watermark's way from Spark is tested in a scenario. */
class ApplicationGaugesSuite extends FunSuite {

  private class Application {
    val clock          = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"))
    private val plugin = new MetricRegistry
    val gauges         = new ApplicationGauges(plugin, clock)
    // As Spark does: it registers the plugin's registry once, when the application starts.
    private val spark = new MetricRegistry
    spark.register("driver", plugin)

    def shown: Map[String, Any] =
      spark.getGauges.asScala.map { case (name, gauge) => name.stripPrefix("driver.") -> (gauge.getValue: Any) }.toMap

    def names: Set[String] = shown.keySet - "queries"
  }

  private def query(run: String, name: String = "orders", source: Int = 0): QueryIdentity =
    QueryIdentity(s"id-of-$run", run, Some(name), source.toString)

  private def metrics(all: (String, String)*): java.util.Map[String, String] = Map(all: _*).asJava

  private val prefix = "query.orders.source.0"

  test("before any query there is one gauge, without which Spark would never look again") {
    assertEquals(new Application().shown, Map[String, Any]("queries" -> 0))
  }

  test("gauges show the newest figures, and go with their cluster") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    source.report(metrics(
      "pendingRecords"              -> "7",
      "cluster.eu-1.pendingRecords" -> "5",
      "cluster.us.pendingRecords"   -> "2"
    ))
    source.report(metrics(
      "pendingRecords"              -> "9",
      "cluster.eu-1.pendingRecords" -> "6",
      "cluster.us.pendingRecords"   -> "3"
    ))
    app.clock.advance(java.time.Duration.ofSeconds(2))
    assertEquals(
      app.shown,
      Map[String, Any](
        "queries"                                -> 1,
        s"$prefix.pendingRecords"                -> 9L,
        s"$prefix.cluster.eu_2d1.pendingRecords" -> 6L,
        s"$prefix.cluster.us.pendingRecords"     -> 3L,
        s"$prefix.progressAge"                   -> 2000L
      )
    )
    source.report(metrics("pendingRecords" -> "3", "cluster.us.pendingRecords" -> "3"))
    assertEquals(app.names, Set("pendingRecords", "cluster.us.pendingRecords", "progressAge").map(n => s"$prefix.$n"))
  }

  test("a query that hangs in its first trigger has an age") {
    val app = new Application
    app.gauges.open(query("run")).begin()
    app.clock.advance(java.time.Duration.ofSeconds(2))
    assertEquals(app.shown, Map[String, Any]("queries" -> 1, s"$prefix.progressAge" -> 2000L))
  }

  test("a state is a gauge until the next one, and a cause until it is gone") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    source.report(metrics("cluster.us.state" -> "pending"))
    source.report(metrics("cluster.us.state" -> "reading"))
    assertEquals(app.names.filter(_.contains(".us.")), Set(s"$prefix.cluster.us.state.reading"))
    source.report(metrics(
      "cluster.us.state" -> "unavailable",
      "cluster.us.cause" -> "[DYNAMIC_KAFKA_CLUSTER_UNREACHABLE] x"
    ))
    assertEquals(
      app.shown.filter(_._1.contains(".us.")),
      Map[String, Any](
        s"$prefix.cluster.us.state.unavailable"         -> 1L,
        s"$prefix.cluster.us.cause.CLUSTER_UNREACHABLE" -> 1L
      )
    )
    source.report(metrics("cluster.us.state" -> "reading"))
    assertEquals(app.names.filter(_.contains(".us.")), Set(s"$prefix.cluster.us.state.reading"))
  }

  test("a query that ends takes its gauges along, and a late report brings none back") {
    val app    = new Application
    val first  = app.gauges.open(query("run"))
    val second = app.gauges.open(query("run", source = 1))
    Seq(first, second).foreach(_.report(metrics("pendingRecords" -> "1")))
    first.close()
    first.close()
    first.report(metrics("pendingRecords" -> "1", "activeSplitCount" -> "1"))
    assertEquals(app.names, Set("query.orders.source.1.pendingRecords", "query.orders.source.1.progressAge"))
    assertEquals(app.shown("queries"), 1: Any)
    second.close()
    assertEquals(app.shown, Map[String, Any]("queries" -> 0))
    app.gauges.open(query("next run")).report(metrics("pendingRecords" -> "2"))
    assertEquals(app.shown(s"$prefix.pendingRecords"), 2L: Any)
  }

  test("two queries of one name are distinguished") {
    val app = new Application
    Seq("run", "other").foreach(run => app.gauges.open(query(run)).report(metrics("pendingRecords" -> "1")))
    assertEquals(
      app.names.filter(_.endsWith("pendingRecords")),
      Set(s"$prefix.pendingRecords", "query.orders_20id_2dof_2dother.source.0.pendingRecords")
    )
  }

  test("the watermark's lag grows with the clock, and ends with the query") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    app.gauges.watermark("run", Instant.EPOCH)
    app.gauges.watermark("of another source's query", app.clock.instant())
    assertEquals(app.names, Set.empty[String])
    app.gauges.watermark("run", app.clock.instant().minusSeconds(10))
    app.gauges.watermark("run", app.clock.instant().minusSeconds(5))
    app.clock.advance(java.time.Duration.ofSeconds(1))
    assertEquals(app.shown("query.orders.watermarkLag"), 6000L: Any)
    source.close()
    assertEquals(app.names, Set.empty[String])
  }

  test("a name that is taken costs the query nothing, and is free again afterwards") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    app.gauges.open(query("run", source = 0)).report(metrics("pendingRecords" -> "1"))
    source.report(metrics("pendingRecords" -> "2"))
    assert(app.names.contains(s"$prefix.pendingRecords"))
  }

  test("without the plugin there are no gauges, and an application that ended does not end the next one") {
    assertEquals(Monitoring.of(query("run")), None)
    val (one, next) = (new Application, new Application)
    Monitoring.begin(one.gauges)
    Monitoring.begin(next.gauges)
    Monitoring.end(one.gauges)
    assert(Monitoring.of(query("run")).isDefined)
    Monitoring.end(next.gauges)
    assertEquals(Monitoring.of(query("run")), None)
  }
}
