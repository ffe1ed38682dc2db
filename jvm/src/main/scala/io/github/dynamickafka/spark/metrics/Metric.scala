package io.github.dynamickafka.spark.metrics

import java.util.Locale

/** One metric of a progress event, for the reference page and whoever shows it.
  *
  * @param name as in `sources[].metrics`; `<id>` stands for the id of a cluster
  * @param unit of the number; `text` if it is none
  * @param doc one sentence of Markdown, or a few short ones. Links are relative to the folder `docs`
  * @param renamed its name outside of progress events, if it is not made of `name` and `unit`
  */
final case class Metric(name: String, unit: String, doc: String, renamed: Option[String] = None) {

  /** Its name in Spark's metrics system: in snake case, with its base unit. A text has none. */
  def gauge: Option[String] = renamed.orElse(Option.when(unit != "text") {
    val snake = name.drop(name.lastIndexOf('.') + 1).replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)
    if (unit == "ms") s"${snake}_seconds" else snake
  })

  /** A value in its base unit, if there is one and it is a number. */
  def number(text: String): Option[Number] = Option(text).flatMap { found =>
    if (unit == "ms") finite(found).map(ms => Double.box(ms / 1000))
    else found.toLongOption.map(Long.box(_): Number).orElse(finite(found).map(Double.box(_)))
  }

  private def finite(text: String): Option[Double] = text.toDoubleOption.filter(_.isFinite)
}

/** What belongs together on the reference page. */
final case class MetricGroup(title: String, metrics: Seq[Metric])

/** All metrics of a query. A suite compares the names with those that the code reports. */
object Metric {

  val groups: Seq[MetricGroup] = Seq(
    MetricGroup(
      "How far the query is",
      Seq(
        Metric("kafkaClustersCount", "clusters", "Clusters that are listed, or still draining.", Some("clusters")),
        Metric(
          "activeSplitCount",
          "partitions",
          "Partitions that are read, without drained ones of removed topics.",
          Some("partitions")
        ),
        Metric(
          "pendingRecords",
          "offsets",
          "Not read yet, over all clusters. Of a cluster that does not answer: as last known."
        ),
        Metric(
          "minOffsetsBehindLatest",
          "offsets",
          "The least backlog of a partition, as in Spark's own Kafka source."
        ),
        Metric("maxOffsetsBehindLatest", "offsets", "The largest."),
        Metric("avgOffsetsBehindLatest", "offsets", "The mean."),
        Metric(
          "currentEmitEventTimeLag",
          "ms",
          "The largest age of a record of the last batch, when it was read."
        ),
        Metric("sourceIdleTime", "ms", "Since a batch last had a record.")
      )
    ),
    MetricGroup(
      "The metadata",
      Seq(
        Metric("metadataAge", "ms", "Since the last successful fetch."),
        Metric("metadataFailures", "fetches", "Consecutive failures; 0 after a success."),
        Metric(
          "metadataLastError",
          "text",
          "Why the last fetch failed. Known secrets are replaced by `***`."
        ),
        Metric("lastTopologyChange", "text", "When the topology last changed, and what changed."),
        Metric("missingTopics", "topics", "Listed, but not there on their cluster."),
        Metric(
          "missingTopicNames",
          "text",
          "Their names: `eu-1: orders, refunds; eu-2: orders`."
        ),
        Metric(
          "missingStreams",
          "streams",
          "Named by `streamIds`, and no longer in the metadata. They drain."
        ),
        Metric("missingStreamNames", "text", "Their names.")
      )
    ),
    MetricGroup(
      "What needs attention",
      Seq(
        Metric(
          "unavailableClusters",
          "clusters",
          "They should answer and do not. The query continues without them."
        ),
        Metric(
          "deferredRecords",
          "offsets",
          "Deferred by `unreadableRangePolicy=defer` and not read yet. `pendingRecords` includes them."
        ),
        Metric(
          "abandonedRecords",
          "offsets",
          "Given up since the query started, because a drain ended early (`drainTimeout`, inactive, retention), or because a " +
            "mirror lacks them.",
          Some("abandoned_records_total")
        ),
        Metric(
          "dataLossRecords",
          "offsets",
          "Lost and passed over under `failOnDataLoss=false`, since the query started. A retried task may count twice.",
          Some("data_loss_records_total")
        ),
        Metric(
          "commitsFailed",
          "commits",
          "Not accepted by a cluster since the query started: [lag tools](operations.md#positions-for-lag-tools).",
          Some("failed_commits_total")
        )
      )
    ),
    MetricGroup(
      "Of each cluster",
      Seq(
        Metric("cluster.<id>.state", "text", "One of [the states](concepts.md#the-state-of-a-cluster).", Some("state")),
        Metric(
          "cluster.<id>.cause",
          "text",
          "Why the cluster, or a topic or partition of it, is not read as it should be, or soon will not be: the " +
            "[condition](reference/errors.md#conditions) and its text.",
          Some("cause")
        ),
        Metric("cluster.<id>.pendingRecords", "offsets", "Not read yet."),
        Metric(
          "cluster.<id>.deferredRecords",
          "offsets",
          "As `deferredRecords`. When all are read, this and the next two are absent."
        ),
        Metric("cluster.<id>.deferredPartitions", "partitions", "Partitions of `deferredRecords`."),
        Metric(
          "cluster.<id>.deferredInBatch",
          "number",
          "Spark's number of the last batch that deferred records. Absent if that was before the start of the query."
        ),
        Metric(
          "cluster.<id>.lastDeferral",
          "text",
          "What was deferred last since the query started, why, and when it was read."
        ),
        Metric("cluster.<id>.recordsPerSecond", "offsets per second", "The speed over the last second or more."),
        Metric(
          "cluster.<id>.timeLag",
          "ms",
          "How long records have waited, in the worst partition; 0 if there are none. Absent while nothing is known: " +
            "[how late a query is](operations.md#how-late-a-query-is)."
        ),
        Metric(
          "cluster.<id>.secondsToCatchUp",
          "s",
          "How long the backlog takes at the last minute's speed; 0 without a backlog. Absent if it does not shrink.",
          Some("time_to_catch_up_seconds")
        ),
        Metric(
          "cluster.<id>.secondsToRetention",
          "s",
          "Until Kafka deletes records that are not read, at the present speeds. Absent if it will not, or if that is not " +
            "known yet: [before retention](operations.md#before-retention-deletes-unread-records).",
          Some("time_to_retention_seconds")
        )
      )
    )
  )

  val all: Seq[Metric] = groups.flatMap(_.metrics)

  private val byName = all.map(metric => metric.name -> metric).toMap

  /** The one of this key of a progress event. Only ids have dots. */
  def of(key: String): Option[Metric] = byName.get(key.replaceFirst("^cluster\\..+\\.", "cluster.<id>."))
}
