package io.github.dynamickafka.spark.monitoring

import java.lang.management.ManagementFactory
import java.util.concurrent.ConcurrentHashMap
import javax.management.ObjectName

import com.codahale.metrics.{Gauge, MetricRegistry}

/** Shows each gauge twice: in Spark's metrics system, and as an attribute of a management bean, whose name has labels.
  *
  * @param registry the plugin's. What is added to it or removed, Spark's metrics system adds or removes too
  */
final private[spark] class ShownGauges(registry: MetricRegistry, application: String) extends AutoCloseable {
  private val server = ManagementFactory.getPlatformMBeanServer
  private val beans  = new ConcurrentHashMap[ObjectName, GaugeBean]

  def show(name: GaugeName, gauge: Gauge[Number]): Unit = {
    registry.register(name.path, gauge)
    val bean = beans.computeIfAbsent(
      name.bean(application),
      at => {
        val made = new GaugeBean
        // A query of the last application may have shown it since that one was closed.
        if (server.isRegistered(at)) server.unregisterMBean(at)
        server.registerMBean(made, at)
        made
      }
    )
    bean.gauges.put(name.name, gauge): Unit
  }

  def hide(name: GaugeName): Unit = {
    registry.remove(name.path)
    val at = name.bean(application)
    Option(beans.get(at)).foreach { bean =>
      bean.gauges.remove(name.name)
      if (bean.gauges.isEmpty) forget(at)
    }
  }

  /** The next application of this JVM may have the same name, and queries of the last one may still be ending. */
  override def close(): Unit = beans.keySet.forEach(forget(_))

  private def forget(at: ObjectName): Unit =
    if (Option(beans.remove(at)).nonEmpty && server.isRegistered(at)) server.unregisterMBean(at)
}
