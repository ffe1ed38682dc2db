package io.github.dynamickafka.spark.pages

import io.github.dynamickafka.spark.metrics.{Metric, MetricGroup}

/** The page of all metrics. */
private[pages] object MetricsPage {
  private val Head =
    """# Metrics
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |The figures of each progress event, in `sources[].metrics`, as text. When a cluster is gone, its figures are gone; the
      |totals stay. A text has at most a thousand characters.
      |
      |[What a query reports](../operations.md#what-a-query-reports) names those to look at first. The
      |[monitoring plugin](../monitoring.md) shows all that have a name in Prometheus, in Spark's metrics system too, and has
      |[alerts](../runbook.md#alerts).
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
