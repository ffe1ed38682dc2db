package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.options.{
  ClusterSettings,
  SourceOptions,
  UnavailableClusterPolicy,
  UnreadableRangePolicy
}

/** What an error advises if a part of a logged batch can't be read: the options by which a restart continues without it.
  */
object RecoveryAdvice {

  /** A text that follows another one. Empty where a restart continues without any such part already. */
  def of(clusters: ClusterSettings): String =
    if (clusters.unreadable == UnreadableRangePolicy.Defer && clusters.unavailable == UnavailableClusterPolicy.Skip) ""
    else
      " To continue without that part now, and read it later, start the query again with " +
        s"${SourceOptions.UnreadableRangePolicyOption.key}=defer. Where the cluster is still listed, set " +
        s"${SourceOptions.UnavailableClusterPolicyOption.key}=skip too."
}
