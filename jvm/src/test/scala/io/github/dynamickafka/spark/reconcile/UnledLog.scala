package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation

/** A log that moves while nobody leads its partition 1, which is to begin at 7 by a rule of the old id. */
trait UnledLog extends MovingLog {
  protected def unled: (String, ClusterObservation) =
    "eu" -> answer("orders" -> has(0 -> 10).of("T1").leaderless(1)).of("K1")

  /** By the offsets of the cluster. */
  protected val begun: Query =
    Query(skipping).sees(listed("eu" -> orders.startingAt("""{"orders":{"1":7}}""")))(unled).read

  /** By those of the query. */
  protected val named: Query =
    Query(skipping.copy(starting = rule("""{"eu": {"orders": {"0": 5, "1": 7}}, "": "earliest"}""")))
      .sees(old)(unled).read
}
