package io.github.dynamickafka.spark.pages

import io.github.dynamickafka.spark.metrics.{Metric, MetricGroup}

/** The page of all metrics. */
private[pages] object MetricsPage {
  private val Head =
    """# Metrics
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |All metrics of a query: figures of each progress event, in `sources[].metrics`, as text.
      |[Look at these first](../operations.md#what-a-query-reports). The [monitoring plugin](../monitoring.md) shows those with a
      |name in Prometheus.
      |
      |When a cluster is gone, its figures are gone; the totals stay. Records are counted by their offsets, so
      |[gaps](rows.md#which-records-become-rows) count too. A text has at most a thousand characters. One about a problem is
      |absent when there is none.
      |""".stripMargin

  def markdown: String = Head + Metric.groups.map(group).mkString

  private def group(group: MetricGroup): String =
    s"\n## ${group.title}\n\n| metric | meaning, and the name in Prometheus |\n| --- | --- |\n" +
      group.metrics.map { metric =>
        s"| `${metric.name}` | ${ReferenceLinks.of(metric.doc)}${unit(metric)}${inPrometheus(metric)} |\n"
      }.mkString

  // What a number counts is in its name.
  private def unit(metric: Metric): String = metric.unit match {
    case "ms" => " In ms."
    case "s"  => " In seconds."
    case _    => ""
  }

  private def inPrometheus(metric: Metric): String = {
    val of = if (metric.name.startsWith("cluster.")) "cluster" else "query"
    metric.gauge.fold("")(name => s" <br>`dynamic_kafka_${of}_$name`")
  }
}
