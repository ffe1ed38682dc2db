package io.github.dynamickafka.spark.plan

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}

/** Which executor should read each partition. It stays the same from batch to batch, because a consumer waits there
  * that is connected and has fetched ahead.
  *
  * Each cluster's partitions are shared evenly, so that all executors read the backlog of one cluster. A partition moves
  * only when its executor has gone, or when new executors get their share.
  *
  * @param executors those that have a share, in the order in which they were added
  * @param wanted the most tasks that a batch was worth so far
  */
final case class PreferredExecutors private (
    executors: Vector[Executor],
    byPartition: PartitionMap[Executor],
    wanted: Int
) {
  import PreferredExecutors.Few

  def of(id: PartitionId): Option[Executor] = byPartition.get(id)

  /** For the next batch.
    *
    * @param live the executors that run now
    * @param held whether the query still holds a cluster
    * @param read the partitions that the batch reads
    * @param worth how many tasks it is worth
    */
  def next(
      live: Seq[Executor],
      held: ClusterId => Boolean,
      read: Iterable[PartitionId],
      worth: Int
  ): PreferredExecutors = {
    val most    = wanted.max(worth)
    val stay    = executors.filter(live.contains)
    val joined  = live.filterNot(stay.contains).sorted.take(Few.max(most) - stay.size)
    val sharing = stay ++ joined
    val kept    =
      if (stay == executors) byPartition
      else PartitionMap.from(byPartition.iterator.filter(one => stay.contains(one._2)))
    val listed =
      if (kept.clusters.keysIterator.forall(held)) kept
      else PartitionMap.from(kept.iterator.filter(one => held(one._1.cluster)))
    val unknown = read.filterNot(listed.contains)
    if (sharing.isEmpty) PreferredExecutors.none.copy(wanted = most)
    else if (unknown.isEmpty && joined.isEmpty) PreferredExecutors(sharing, listed, most)
    else {
      val shares = new ExecutorShares(sharing)
      listed.foreach { case (id, preferred) => shares.put(id, preferred) }
      unknown.toVector.sorted.foreach(shares.add)
      if (joined.nonEmpty) shares.balance()
      PreferredExecutors(sharing, shares.preferred, most)
    }
  }
}

object PreferredExecutors {

  /** No executor has a share. */
  val none: PreferredExecutors = PreferredExecutors(Vector.empty, PartitionMap.empty, wanted = 0)

  // On so few executors a small batch has a task on each. That costs less than to move partitions when a larger batch
  // comes. Of more executors a query uses only as many as its largest batch is worth: a little data needs no task on
  // each of fifty.
  private val Few = 8
}
