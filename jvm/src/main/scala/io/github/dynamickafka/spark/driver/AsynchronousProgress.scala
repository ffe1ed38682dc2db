package io.github.dynamickafka.spark.driver

/** What is not kept where Spark logs only some offsets of micro-batches, and in the background. */
private[driver] object AsynchronousProgress {

  /** @param defers whether unreadable ranges are deferred */
  def limits(defers: Boolean): Vector[String] = Vector(
    "Spark logs only some offsets of this query (asyncProgressTrackingEnabled). After a restart, a cluster, topic or partition " +
      "that began behind the last logged offset begins anew: with starting offsets of `latest`, at the end of then."
  ) ++ Option.when(defers)(
    "unreadableRangePolicy=defer does not act on a running batch, because the query logs its progress asynchronously " +
      "(asyncProgressTrackingEnabled). After a restart it acts on an uncommitted batch."
  )
}
