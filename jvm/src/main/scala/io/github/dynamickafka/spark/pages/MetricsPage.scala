package io.github.dynamickafka.spark.pages

import io.github.dynamickafka.spark.metrics.{ClusterState, Metric, MetricGroup, StateHelp}

/** The page of all metrics. */
private[pages] object MetricsPage {
  private val Head =
    """# Metrics
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |Each progress event of a query has these figures in `sources[].metrics`, as text. When a cluster is gone, its figures
      |are gone; the totals stay. A text has at most a thousand characters.
      |
      |[What a query reports](../operations.md#what-a-query-reports) explains how to read them,
      |[What to alert on](../operations.md#what-to-alert-on) which of them matter. The [monitoring plugin](../monitoring.md)
      |shows all that are numbers in Spark's metrics system.
      |""".stripMargin

  private val StatesHead =
    """
      |## States of a cluster
      |
      |The values of `cluster.<id>.state`.
      |""".stripMargin

  def markdown: String = Head + Metric.groups.map(group).mkString + StatesHead + ClusterState.all.map { state =>
    s"\n### `${state.name}`\n\n${ReferenceLinks.of(StateHelp.of(state))}\n"
  }.mkString

  private def group(group: MetricGroup): String =
    s"\n## ${group.title}\n\n| metric | unit | meaning |\n| --- | --- | --- |\n" + group.metrics.map { metric =>
      s"| `${metric.name}` | ${metric.unit} | ${ReferenceLinks.of(metric.doc)} |\n"
    }.mkString
}
