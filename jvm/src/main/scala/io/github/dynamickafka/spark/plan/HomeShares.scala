package io.github.dynamickafka.spark.plan

import scala.collection.mutable

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** Shares partitions out among executors. Mutable, for one use: there may be a hundred thousand of them. */
final private[plan] class HomeShares(executors: Vector[Executor]) {
  private type Shares = Vector[mutable.ArrayBuffer[PartitionId]]

  private val index    = executors.zipWithIndex.toMap
  private val totals   = new Array[Int](executors.size)
  private val clusters = mutable.LinkedHashMap.empty[ClusterId, Shares]

  /** At this executor, which is one of them. */
  def put(id: PartitionId, home: Executor): Unit = put(id, index(home))

  /** Where the fewest of its cluster are, and of these where the fewest are in all. */
  def add(id: PartitionId): Unit = {
    val shares = of(id.cluster)
    put(id, executors.indices.minBy(at => (shares(at).size, totals(at))))
  }

  /** Moves as few as it takes until no two shares of a cluster differ by more than one, nor two in all. */
  def even(): Unit = {
    clusters.values.foreach(evenOf)
    evenInAll()
  }

  def homes: PartitionMap[Executor] = PartitionMap.from(for {
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
  private def evenOf(shares: Shares): Unit = {
    val most  = executors.indices.maxBy(at => (shares(at).size, totals(at)))
    val least = executors.indices.minBy(at => (shares(at).size, totals(at)))
    if (shares(most).size > shares(least).size + 1) {
      move(shares, most, least)
      evenOf(shares)
    }
  }

  // Where one has more in all than another, it has more of some cluster: of that one it gives, and the two stay even
  // within one there.
  @annotation.tailrec
  private def evenInAll(): Unit = {
    val most  = executors.indices.maxBy(totals(_))
    val least = executors.indices.minBy(totals(_))
    if (totals(most) > totals(least) + 1) {
      clusters.values.find(shares => shares(most).size > shares(least).size).foreach(move(_, most, least))
      evenInAll()
    }
  }

  private def move(shares: Shares, from: Int, to: Int): Unit = {
    shares(to) += shares(from).remove(shares(from).size - 1)
    totals(from) -= 1
    totals(to) += 1
  }
}
