package io.github.dynamickafka.spark.monitoring

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import com.codahale.metrics.{Gauge, MetricRegistry}

import io.github.dynamickafka.spark.status.QueryIdentity

/** The gauges of all queries of an application.
  *
  * @param registry the plugin's. What is added to it or removed, Spark's metrics system adds or removes too
  */
final private[spark] class ApplicationGauges(registry: MetricRegistry, clock: Clock) {
  import ApplicationGauges._

  private val queries = new AtomicReference(Map.empty[String, OpenQuery]) // by run id

  // Spark ignores a registry that is empty when the application starts.
  registry.register("queries", (() => queries.get.size): Gauge[Int])

  /** Gauges for one source of a query. They are there from its first report until it is closed. */
  def open(source: QueryIdentity): SourceGauges = synchronized {
    val query = queries.get.getOrElse(source.runId, OpenQuery(named(source), sources = 0, None))
    keep(source.runId, query.copy(sources = query.sources + 1))
    new SourceGauges(registry, s"${query.prefix}.source.${source.source}", clock, () => release(source.runId))
  }

  /** The watermark of a query, which stands still while nothing comes. One that is not set yet is 1970. */
  def watermark(runId: String, at: Instant): Unit = synchronized {
    for (query <- queries.get.get(runId) if at.toEpochMilli > 0) {
      if (query.watermark.isEmpty) registry.register(query.lagName, lag(runId))
      keep(runId, query.copy(watermark = Some(at)))
    }
  }

  private def release(runId: String): Unit = synchronized {
    for (query <- queries.get.get(runId))
      if (query.sources > 1) keep(runId, query.copy(sources = query.sources - 1))
      else {
        if (query.watermark.nonEmpty) registry.remove(query.lagName): Unit
        queries.updateAndGet(_ - runId): Unit
      }
  }

  private def keep(runId: String, query: OpenQuery): Unit = queries.updateAndGet(_ + (runId -> query)): Unit

  /** The name of the query, else its id. Queries of two sessions may have the same name: then the id of the second one is
    * added.
    */
  private def named(source: QueryIdentity): String = {
    val prefix = prefixOf(source.label)
    if (queries.get.valuesIterator.exists(_.prefix == prefix)) prefixOf(s"${source.label} ${source.id}") else prefix
  }

  private def lag(runId: String): Gauge[Number] = () =>
    queries.get.get(runId).flatMap(_.watermark).fold(Double.box(Double.NaN): Number) { at =>
      Long.box(Duration.between(at, clock.instant()).toMillis)
    }
}

private[spark] object ApplicationGauges {

  /** @param sources how many are open */
  private case class OpenQuery(prefix: String, sources: Int, watermark: Option[Instant]) {
    def lagName: String = s"$prefix.watermarkLag"
  }

  private def prefixOf(label: String): String = s"query.${GaugeName.escaped(label)}"
}
