package io.github.dynamickafka.spark.reconcile

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** A log that was read under the id `eu`, and that `new` continues: a mirror, on another Kafka cluster. */
trait MovingLog {
  protected val orders: ListedCluster = topics("orders")
  protected val next: ListedCluster   = orders.continuing("eu")
  protected val old: Topology         = listed("eu" -> orders)
  protected val both: Topology        = listed("eu" -> orders, "new" -> next)
  protected val moved: Topology       = listed("new" -> next)

  /** What `eu` answers, by the ends of its partitions. */
  protected def eu(ends: Int*): (String, ClusterObservation) =
    "eu" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T1")).of("K1")

  /** The same of the mirror. */
  protected def mirror(ends: Int*): (String, ClusterObservation.Answered) =
    "new" -> answer("orders" -> has(ends.map(0 -> _): _*).of("T9")).of("K2")

  /** A query that has read 10 records of each of two partitions. */
  protected val query: Query = Query(fromEarliest).sees(old)(eu(10, 10)).read
}
