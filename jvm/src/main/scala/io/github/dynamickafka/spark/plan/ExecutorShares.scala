package io.github.dynamickafka.spark.plan

import scala.collection.mutable

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** Divides partitions among executors. It is mutable, because there may be a hundred thousand partitions. Use it once. */
final private[plan] class ExecutorShares(executors: Vector[Executor]) {
  private type Shares = Vector[mutable.ArrayBuffer[PartitionId]]

  private val index    = executors.zipWithIndex.toMap
  private val totals   = new Array[Int](executors.size)
  private val clusters = mutable.LinkedHashMap.empty[ClusterId, Shares]

  /** Assigns a partition to this executor, which must be one of `executors`. */
  def put(id: PartitionId, preferred: Executor): Unit = put(id, index(preferred))

  /** Assigns a partition to the executor that has the fewest partitions of its cluster. If several have, to the one that
    * has the fewest partitions in all.
    */
  def add(id: PartitionId): Unit = {
    val shares = of(id.cluster)
    put(id, executors.indices.minBy(at => (shares(at).size, totals(at))))
  }

  /** Moves as few partitions as possible, until the numbers of any two executors differ by at most one, for each cluster
    * and in all.
    */
  def balance(): Unit = {
    clusters.values.foreach(balanceCluster)
    balanceAll()
  }

  def preferred: PartitionMap[Executor] = PartitionMap.from(for {
    shares <- clusters.valuesIterator
    at     <- executors.indices.iterator
    id     <- shares(at).iterator
  } yield id -> executors(at))

  private def of(cluster: ClusterId): Shares =
    clusters.getOrElseUpdate(cluster, executors.map(_ => mutable.ArrayBuffer.empty[PartitionId]))

  private def put(id: PartitionId, at: Int): Unit = {
    of(id.cluster)(at) += id
    totals(at) += 1
  }

  @annotation.tailrec
  private def balanceCluster(shares: Shares): Unit = {
    val most  = executors.indices.maxBy(at => (shares(at).size, totals(at)))
    val least = executors.indices.minBy(at => (shares(at).size, totals(at)))
    if (shares(most).size > shares(least).size + 1) {
      move(shares, most, least)
      balanceCluster(shares)
    }
  }

  // If an executor has more partitions in all than another one, it also has more of some cluster. It gives up one partition
  // of that cluster. Of this cluster, the two still differ by at most one.
  @annotation.tailrec
  private def balanceAll(): Unit = {
    val most  = executors.indices.maxBy(totals(_))
    val least = executors.indices.minBy(totals(_))
    if (totals(most) > totals(least) + 1) {
      clusters.values.find(shares => shares(most).size > shares(least).size).foreach(move(_, most, least))
      balanceAll()
    }
  }

  private def move(shares: Shares, from: Int, to: Int): Unit = {
    shares(to) += shares(from).remove(shares(from).size - 1)
    totals(from) -= 1
    totals(to) += 1
  }
}
