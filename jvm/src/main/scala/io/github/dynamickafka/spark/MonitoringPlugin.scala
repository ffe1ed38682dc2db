package io.github.dynamickafka.spark

import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, SparkPlugin}

import io.github.dynamickafka.spark.monitoring.MonitoringDriver

/** Shows the metrics of every query of an application in Spark's own metrics system, with
  * `spark.plugins=io.github.dynamickafka.spark.MonitoringPlugin`: docs/monitoring.md.
  */
final class MonitoringPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new MonitoringDriver

  // For Spark, null means that executors have nothing to do.
  override def executorPlugin(): ExecutorPlugin = null
}
