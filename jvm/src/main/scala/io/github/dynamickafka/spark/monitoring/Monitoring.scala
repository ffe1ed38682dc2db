package io.github.dynamickafka.spark.monitoring

import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.status.QueryIdentity

/** Where sources find the plugin's gauges. A JVM has one Spark application at a time. */
private[spark] object Monitoring {
  private val running = new AtomicReference(Option.empty[ApplicationGauges])

  def begin(gauges: ApplicationGauges): Unit = running.set(Some(gauges))

  /** The next application may have begun before the last one has ended. */
  def end(gauges: ApplicationGauges): Unit = running.updateAndGet(_.filterNot(_ eq gauges)): Unit

  /** The gauges of one source. None without the plugin. */
  def of(source: QueryIdentity): Option[SourceGauges] = running.get.map(_.open(source))
}
