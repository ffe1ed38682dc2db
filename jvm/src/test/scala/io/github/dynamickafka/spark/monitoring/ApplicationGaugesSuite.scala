package io.github.dynamickafka.spark.monitoring

import java.lang.management.ManagementFactory
import java.time.Instant
import java.util.UUID
import javax.management.ObjectName

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry
import munit.FunSuite

import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.status.QueryIdentity

/** When gauges come and go, as Spark's metrics system sees it. The watermark's way from Spark is tested in a scenario. */
class ApplicationGaugesSuite extends FunSuite {

  private class Application(val name: String = s"app ${UUID.randomUUID}") {
    val clock          = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"))
    private val plugin = new MetricRegistry
    val gauges         = new ApplicationGauges(new ShownGauges(plugin, name), clock)
    // As Spark does: it registers the plugin's registry once, when the application starts.
    private val spark = new MetricRegistry
    spark.register("driver", plugin)

    def shown: Map[String, Any] =
      spark.getGauges.asScala.map { case (name, gauge) => name.stripPrefix("driver.") -> (gauge.getValue: Any) }.toMap

    def names: Set[String] = shown.keySet - "queries"

    /** The attributes of each management bean, by the labels in its name. */
    def beans: Map[Map[String, String], Map[String, Any]] = {
      val server = ManagementFactory.getPlatformMBeanServer
      server.queryNames(new ObjectName(s"dynamic_kafka:application=$name,*"), null).asScala.map { bean =>
        val attributes = server.getMBeanInfo(bean).getAttributes.map(_.getName)
        val values     =
          server.getAttributes(bean, attributes).asList.asScala.map(one => one.getName -> (one.getValue: Any))
        (bean.getKeyPropertyList.asInstanceOf[java.util.Map[
          String,
          String
        ]].asScala.toMap - "application") -> values.toMap
      }.toMap
    }
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
        "queries"                                 -> 1,
        s"$prefix.pending_records"                -> 9L,
        s"$prefix.cluster.eu_2d1.pending_records" -> 6L,
        s"$prefix.cluster.us.pending_records"     -> 3L,
        s"$prefix.progress_age_seconds"           -> 2.0
      )
    )
    source.report(metrics("pendingRecords" -> "3", "cluster.us.pendingRecords" -> "3"))
    assertEquals(
      app.names,
      Set("pending_records", "cluster.us.pending_records", "progress_age_seconds").map(n => s"$prefix.$n")
    )
  }

  test("each gauge is an attribute of a bean with its ids as keys, and a bean without gauges is gone") {
    val app           = new Application
    val source        = app.gauges.open(query("run"))
    val ofApplication = Map("type" -> "application")
    val ofSource      = Map("type" -> "query", "query" -> "orders", "source" -> "0")
    val ofCluster     = ofSource ++ Map("type" -> "cluster", "cluster" -> "eu-1")
    source.report(metrics(
      "abandonedRecords"     -> "7",
      "cluster.eu-1.timeLag" -> "1500",
      "cluster.eu-1.state"   -> "draining"
    ))
    assertEquals(
      app.beans,
      Map[Map[String, String], Map[String, Any]](
        ofApplication                       -> Map("queries" -> 1),
        ofSource                            -> Map("abandoned_records_total" -> 7L, "progress_age_seconds" -> 0.0),
        ofCluster                           -> Map("time_lag_seconds" -> 1.5),
        ofCluster + ("state" -> "draining") -> Map("state" -> 1L)
      )
    )
    source.report(metrics("cluster.eu-1.timeLag" -> "0"))
    assertEquals(app.beans.keySet, Set(ofApplication, ofSource, ofCluster))
    source.close()
    assertEquals(app.beans, Map[Map[String, String], Map[String, Any]](ofApplication -> Map("queries" -> 0)))
    app.gauges.close()
    assertEquals(app.beans, Map.empty[Map[String, String], Map[String, Any]])
  }

  test("a query that hangs in its first trigger has an age") {
    val app = new Application
    app.gauges.open(query("run")).begin()
    app.clock.advance(java.time.Duration.ofSeconds(2))
    assertEquals(app.shown, Map[String, Any]("queries" -> 1, s"$prefix.progress_age_seconds" -> 2.0))
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
    assertEquals(app.names, Set("query.orders.source.1.pending_records", "query.orders.source.1.progress_age_seconds"))
    assertEquals(app.shown("queries"), 1: Any)
    second.close()
    assertEquals(app.shown, Map[String, Any]("queries" -> 0))
    app.gauges.open(query("next run")).report(metrics("pendingRecords" -> "2"))
    assertEquals(app.shown(s"$prefix.pending_records"), 2L: Any)
  }

  test("two queries of one name are distinguished") {
    val app = new Application
    Seq("run", "other").foreach(run => app.gauges.open(query(run)).report(metrics("pendingRecords" -> "1")))
    assertEquals(
      app.names.filter(_.endsWith("pending_records")),
      Set(s"$prefix.pending_records", "query.orders_20id_2dof_2dother.source.0.pending_records")
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
    assertEquals(app.shown("query.orders.watermark_lag_seconds"), 6.0: Any)
    source.close()
    assertEquals(app.names, Set.empty[String])
  }

  test("a name that is taken costs the query nothing, and is free again afterwards") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    app.gauges.open(query("run", source = 0)).report(metrics("pendingRecords" -> "1"))
    source.report(metrics("pendingRecords" -> "2"))
    assert(app.names.contains(s"$prefix.pending_records"))
  }

  test("an application that ends leaves no bean, and a late query of it is not in the way of the next one") {
    val app    = new Application
    val source = app.gauges.open(query("run"))
    source.report(metrics("pendingRecords" -> "1"))
    app.gauges.close()
    assertEquals(app.beans, Map.empty[Map[String, String], Map[String, Any]])
    source.report(metrics("pendingRecords" -> "1", "cluster.eu.pendingRecords" -> "1"))
    val next = new Application(app.name).gauges.open(query("run"))
    next.report(metrics("cluster.eu.pendingRecords" -> "2"))
    assertEquals(
      app.beans.collect { case (ids, shown) if ids.contains("cluster") => shown }.toSet,
      Set(Map("pending_records" -> (2L: Any)))
    )
    Seq(source, next).foreach(_.close())
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
