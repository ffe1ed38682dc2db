package io.github.dynamickafka.spark.monitoring

import java.time.{Clock, Instant}
import java.util
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.codahale.metrics.Gauge
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.metrics.Metric

/** The gauges of one source of one query. They come and go with its metrics.
  *
  * @param ids of the query and the source
  */
final private[spark] class SourceGauges(
    shown: ShownGauges,
    ids: Vector[(String, String)],
    clock: Clock,
    released: () => Unit
) extends AutoCloseable {
  import SourceGauges._

  private val state =
    new AtomicReference(State(new util.HashMap, Set.empty, new util.HashMap, clock.instant(), open = true))

  /** The query has begun. Its first trigger may hang, and then no report comes. */
  def begin(): Unit = whileOpen(reshape(util.Map.of()))

  /** Takes the metrics of a trigger. */
  def report(metrics: util.Map[String, String]): Unit = whileOpen {
    val last = state.getAndUpdate(_.copy(metrics = metrics, at = clock.instant()))
    if (!sameGauges(last.shape, metrics)) reshape(metrics)
  }

  // It never fails: a query does not end because of its monitoring.
  private def whileOpen(show: => Unit): Unit = synchronized {
    if (state.get.open)
      try show
      catch { case NonFatal(e) => log.warn("The metrics of the query can't be shown. ids={}", ids: Any, e: Any) }
  }

  override def close(): Unit = synchronized {
    val last = state.getAndUpdate(_.copy(names = Set.empty, open = false))
    if (last.open) {
      last.names.foreach(shown.hide)
      released()
    }
  }

  private def reshape(metrics: util.Map[String, String]): Unit = {
    val wanted = gauges(metrics) + (GaugeName(ids, "progress_age_seconds") -> age)
    val before = state.get.names
    (before -- wanted.keySet).foreach(shown.hide)
    // The names are kept first: if one of them can't be registered, the others are still removed in the end.
    state.updateAndGet(_.copy(names = wanted.keySet, shape = new util.HashMap(metrics)))
    (wanted -- before).foreach { case (name, gauge) => shown.show(name, gauge) }
  }

  private def gauges(metrics: util.Map[String, String]): Map[GaugeName, Gauge[Number]] =
    metrics.asScala.iterator.flatMap { case (key, value) =>
      GaugeName.of(ids, key, value).map(name => name -> (if (name.mark.isEmpty) figure(key) else mark))
    }.toMap

  // Parsed when it is asked for: an idle query reports many times a second.
  private def figure(key: String): Gauge[Number] = {
    val metric = Metric.of(key)
    () => metric.flatMap(_.number(state.get.metrics.get(key))).getOrElse(Double.box(Double.NaN))
  }

  private val age: Gauge[Number] = () => ApplicationGauges.secondsBetween(state.get.at, clock.instant())
}

private[spark] object SourceGauges {
  private val log                 = LoggerFactory.getLogger(classOf[SourceGauges])
  private val mark: Gauge[Number] = () => Long.box(1)

  /** @param metrics the last ones
    * @param shape those from which the gauges were made
    * @param names of the gauges
    * @param at when the metrics were reported
    */
  private case class State(
      metrics: util.Map[String, String],
      names: Set[GaugeName],
      shape: util.HashMap[String, String],
      at: Instant,
      open: Boolean
  )

  private def sameGauges(before: util.HashMap[String, String], now: util.Map[String, String]): Boolean =
    before.size == now.size && now.asScala.forall { case (key, value) =>
      if (GaugeName.followsText(key)) value == before.get(key) else before.containsKey(key)
    }
}
