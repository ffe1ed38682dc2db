package io.github.dynamickafka.spark.monitoring

import java.time.Clock
import java.util
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, PluginContext}

/** The plugin on the driver. Sources report by themselves, because Spark sends no figures while a query is idle. */
final private[spark] class MonitoringDriver extends DriverPlugin {
  private val started = new AtomicReference(Option.empty[ApplicationGauges])

  override def init(context: SparkContext, plugin: PluginContext): util.Map[String, String] = {
    val gauges = new ApplicationGauges(new ShownGauges(plugin.metricRegistry, context.appName), Clock.systemUTC)
    started.set(Some(gauges))
    context.addSparkListener(new WatermarkListener(gauges))
    Monitoring.begin(gauges)
    util.Collections.emptyMap()
  }

  override def shutdown(): Unit = started.get.foreach { gauges =>
    Monitoring.end(gauges)
    gauges.close()
  }
}
