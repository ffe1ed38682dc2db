package io.github.dynamickafka.spark.pages

import io.github.dynamickafka.spark.metrics.{Metric, MetricGroup}

/** The page of all metrics. */
private[pages] object MetricsPage {
  private val Head =
    """# Metrics
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |All metrics of a query: figures of each progress event, in `sources[].metrics`, as text. When a cluster is gone, its
      |figures are gone; the totals stay. A text has at most a thousand characters. The [monitoring plugin](../monitoring.md)
      |shows those with a name in Prometheus. [Look at these first](../operations.md#what-a-query-reports).
      |""".stripMargin

  def markdown: String = Head + Metric.groups.map(group).mkString

  private def group(group: MetricGroup): String =
    s"\n## ${group.title}\n\n| metric | unit | meaning | in Prometheus |\n| --- | --- | --- | --- |\n" +
      group.metrics.map { metric =>
        s"| `${metric.name}` | ${metric.unit} | ${ReferenceLinks.of(metric.doc)} | ${inPrometheus(metric)} |\n"
      }.mkString

  private def inPrometheus(metric: Metric): String = {
    val of = if (metric.name.startsWith("cluster.")) "cluster" else "query"
    metric.gauge.fold("")(name => s"`dynamic_kafka_${of}_$name`")
  }
}
