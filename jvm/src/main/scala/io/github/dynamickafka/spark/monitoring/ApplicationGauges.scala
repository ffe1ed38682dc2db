package io.github.dynamickafka.spark.monitoring

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.atomic.AtomicReference

import com.codahale.metrics.Gauge

import io.github.dynamickafka.spark.status.QueryIdentity

/** The gauges of all queries of an application. */
final private[spark] class ApplicationGauges(shown: ShownGauges, clock: Clock) extends AutoCloseable {
  import ApplicationGauges._

  private val queries = new AtomicReference(Map.empty[String, OpenQuery]) // by run id

  // Spark ignores a registry that is empty when the application starts.
  shown.show(GaugeName(Vector.empty, "queries"), () => queries.get.size)

  /** Gauges for one source of a query. They are there from its first report until it is closed. */
  def open(source: QueryIdentity): SourceGauges = synchronized {
    val query = queries.get.getOrElse(source.runId, OpenQuery(named(source), sources = 0, None))
    keep(source.runId, query.copy(sources = query.sources + 1))
    new SourceGauges(shown, query.ids :+ ("source" -> source.source), clock, () => release(source.runId))
  }

  /** The watermark of a query, which stands still while no records come. Before it is set, it is 1970. */
  def watermark(runId: String, at: Instant): Unit = synchronized {
    for (query <- queries.get.get(runId) if at.toEpochMilli > 0) {
      if (query.watermark.isEmpty) shown.show(query.lagName, lag(runId))
      keep(runId, query.copy(watermark = Some(at)))
    }
  }

  override def close(): Unit = shown.close()

  private def release(runId: String): Unit = synchronized {
    for (query <- queries.get.get(runId))
      if (query.sources > 1) keep(runId, query.copy(sources = query.sources - 1))
      else {
        if (query.watermark.nonEmpty) shown.hide(query.lagName)
        queries.updateAndGet(_ - runId): Unit
      }
  }

  private def keep(runId: String, query: OpenQuery): Unit = queries.updateAndGet(_ + (runId -> query)): Unit

  /** The name of the query, else its id. Queries of two sessions may have the same name: then the id of the second one is
    * added.
    */
  private def named(source: QueryIdentity): String =
    if (queries.get.valuesIterator.exists(_.query == source.label)) s"${source.label} ${source.id}" else source.label

  private def lag(runId: String): Gauge[Number] = () =>
    queries.get.get(runId).flatMap(_.watermark).fold(Double.box(Double.NaN): Number) { at =>
      secondsBetween(at, clock.instant())
    }
}

private[spark] object ApplicationGauges {

  /** @param query its label
    * @param sources how many are open
    */
  private case class OpenQuery(query: String, sources: Int, watermark: Option[Instant]) {
    def ids: Vector[(String, String)] = Vector("query" -> query)
    def lagName: GaugeName            = GaugeName(ids, "watermark_lag_seconds")
  }

  private[monitoring] def secondsBetween(from: Instant, to: Instant): Number =
    Double.box(Duration.between(from, to).toMillis / 1000.0)
}
