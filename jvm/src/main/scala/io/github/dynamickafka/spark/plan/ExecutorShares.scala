package io.github.dynamickafka.spark.plan

import scala.collection.mutable

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** Shares partitions out among executors. Mutable, because there may be a hundred thousand of them; for one use only. */
final private[plan] class ExecutorShares(executors: Vector[Executor]) {
  private type Shares = Vector[mutable.ArrayBuffer[PartitionId]]

  private val index    = executors.zipWithIndex.toMap
  private val totals   = new Array[Int](executors.size)
  private val clusters = mutable.LinkedHashMap.empty[ClusterId, Shares]

  /** Puts a partition at this executor, which is one of them. */
  def put(id: PartitionId, preferred: Executor): Unit = put(id, index(preferred))

  /** Puts a partition where there are the fewest of its cluster; among equals, where there are the fewest in all. */
  def add(id: PartitionId): Unit = {
    val shares = of(id.cluster)
    put(id, executors.indices.minBy(at => (shares(at).size, totals(at))))
  }

  /** Moves as few partitions as possible until executors differ by one at most, in each cluster and in all. */
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

  // An executor with more partitions in all than another one has more of some cluster. It gives one of that cluster,
  // and there too the two still differ by one at most.
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
