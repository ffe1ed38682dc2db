package io.github.dynamickafka.spark.read

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.plan.{OffsetRange, WayOut}

/** What one task reads of one cluster.
  *
  * @param ranges at least one offset each
  * @param wayOut of the batch, if the cluster is never to be read again
  */
final private[read] case class ClusterPart(cluster: ClusterId, ranges: Seq[OffsetRange], wayOut: WayOut)
