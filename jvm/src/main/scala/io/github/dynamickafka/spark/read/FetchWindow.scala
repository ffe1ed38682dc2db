package io.github.dynamickafka.spark.read

import scala.collection.immutable.Queue

import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.FetchSizes

/** Decides which partitions of a task are fetched now, and what its consumers may keep for the next task. This is the
  * memory bound of reading, however many partitions and clusters a task has:
  *
  * {{{ fetched + kept <= limit }}}
  *
  *   - `limit` is the option `maxFetchBytesPerTask`, or less where the executor has less room ([[FetchBudget]]).
  *   - `fetched` is the sum over all partitions that are fetched now. Each counts [[FetchWindow.whileFetched]], which is
  *     `2 x max.partition.fetch.bytes`.
  *   - `kept` is the sum over all partitions of which a consumer holds something for a later task: those that this task
  *     has read to their end, and those that an earlier task kept and this one has not read to their end. Each counts
  *     [[FetchWindow.whileKept]], which is one answer of a broker about all partitions of the consumer but those that
  *     were counted before, and the records that were put back. A partition read to the end of its log holds none. But a
  *     fetch is under way, so it counts its own part of one answer, which is `max.partition.fetch.bytes`.
  *
  * For example, at the defaults the limit is 256 MiB, and a partition counts 2 x 1 MiB while it is fetched. So a task
  * fetches 128 partitions at a time. Of 200 partitions 72 wait, and one of them is opened whenever another one is read to
  * its end; while any waits, nothing is kept. A task with 4 partitions of one cluster counts 8 MiB while it reads. The
  * first that it has read then counts 4 MiB, because it may hold on to an answer about all four, the second one 3 MiB: in
  * all 10 MiB are kept, or 4 MiB where it has caught up with the producers.
  *
  * All sizes are bytes as Kafka holds them, mostly compressed. The bound leaves out four things:
  *
  *   - One partition is always fetched, even where it alone counts more than the limit.
  *   - Kafka also sends a record batch that is larger than `max.partition.fetch.bytes`. Batches up to 1 MiB,
  *     which brokers allow at their defaults, are counted ([[FetchSizes]]), larger ones are not.
  *   - What was fetched of a partition that is read to its end stays while another one of the same answer is read.
  *   - The records of one poll, `max.poll.records` of them at most and uncompressed, belong to Spark until the next poll.
  *
  * One for all clusters of a task. Mutable: the inner loop of a reader changes it.
  *
  * @param share counts both sums, and has the limits
  * @param places all of them wait, in the order in which they are opened
  */
final private[read] class FetchWindow(share: FetchShare, places: Iterable[FetchWindow.Place]) extends AutoCloseable {
  import FetchWindow._

  private var waiting = places.to(Queue)
  private var open    = 0

  /** Opens the partitions that fit, and one in any case: without any, nothing would ever be read. */
  def opened(): Vector[Place] = {
    val more = Vector.newBuilder[Place]
    while (waiting.headOption.exists(opens)) {
      val (place, others) = waiting.dequeue
      waiting = others
      open += 1
      more += place
    }
    more.result()
  }

  private def opens(place: Place): Boolean = share.fetches(place.bytes) || {
    if (open == 0) share.fetchesAnyway(place.bytes)
    open == 0
  }

  /** A partition is read to its end. While others wait, they get its room, and nothing of it is kept.
    *
    * @param place its bytes while it was fetched
    * @param before the bytes that were kept of it from tasks before
    * @param after those that would be kept of it from now on
    * @return whether it is kept
    */
  def ended(place: Long, before: Long, after: Long): Boolean = {
    open -= 1
    share.returns(fetched = place, kept = before)
    waiting.isEmpty && share.keeps(after)
  }

  /** These places give no records now: they make room for others and wait behind them, unless all others were tried.
    *
    * @param advanced whether a record came since the last time; if not, waiting places of the same clusters don't count
    */
  def requeued(standing: Vector[Place], advanced: Boolean): Boolean = {
    val clusters        = standing.map(_.cluster).toSet
    val (behind, first) = waiting.partition(place => clusters(place.cluster))
    val makes           = (if (advanced) waiting else first).exists(!_.tried)
    if (makes) {
      waiting = first ++ behind.sortBy(_.tried) ++ standing.map(_.copy(tried = true))
      open -= standing.size
      // While others wait nothing is kept for a later task, and consumers drop what they had from tasks before.
      share.returns(fetched = standing.map(_.bytes).sum, kept = share.held.kept)
    }
    makes
  }

  /** Whether a consumer may go on holding this much from tasks before. If so, it counts from now on. */
  def carries(bytes: Long): Boolean = share.carries(bytes)

  /** The task is over. What its consumers keep is counted where they are. */
  override def close(): Unit = share.close()
}

private[read] object FetchWindow {

  /** One partition's share.
    *
    * @param bytes what it counts while it is fetched
    * @param tried whether it was fetched in vain
    */
  final case class Place(cluster: ClusterId, partition: TopicPartition, bytes: Long, tried: Boolean = false)

  /** The window in which all partitions wait: the first few of each cluster, and then the others. So clusters answer at
    * the same time, and a slow one does not take all of the room.
    */
  def of(share: FetchShare, byCluster: Seq[Seq[Place]]): FetchWindow =
    new FetchWindow(share, byCluster.flatMap(_.zipWithIndex).sortBy(_._2 / AtOnce).map(_._1))

  /** The most that is held of one partition while it is fetched.
    *
    * Kafka's consumer fetches a partition again only when all its fetched records are taken: one answer for each.
    * But an answer of a broker stays in memory whole until its last partition is taken. While that one is read, the
    * next answers about the others have come already. So two answers count.
    */
  def whileFetched(sizes: FetchSizes): Long = sizes.partition * 2

  /** The most that is held of one partition that was read to the end of its log: a fetch may be under way. */
  def whileCaughtUp(sizes: FetchSizes): Long = sizes.partition

  /** The most that is held of one partition while it is kept for the next task, but for records that were put back.
    *
    * An answer of a broker stays in memory whole until its last partition is taken, so one partition may hold on to
    * what was fetched of all others. But Kafka's consumer fetches nothing of a partition that holds on to an earlier
    * answer. So of several that are kept the first counts an answer about all, the next one about all but the first.
    *
    * @param together the most partitions that were fetched at a time, without those that count already
    */
  def whileKept(sizes: FetchSizes, together: Int): Long = sizes.responseOf(together.max(1))

  // How many of a cluster come first. One request asks a broker for all of them, and a broker gets one request at a time
  // (`make bench-quick ARGS=weights`).
  private val AtOnce = 8
}
