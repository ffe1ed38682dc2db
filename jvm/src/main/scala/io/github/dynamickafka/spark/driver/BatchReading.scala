package io.github.dynamickafka.spark.driver

import io.github.dynamickafka.spark.driver.memory.{DriverMemory, FinishedOffset}
import io.github.dynamickafka.spark.driver.uncommitted.{Deferrals, UncommittedBatch, UncommittedReading}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** What a batch reads, and through which connections. The query's threads call it, one at a time.
  *
  * @param finished takes note of what is finished when an uncommitted batch is planned
  */
final private[driver] class BatchReading(
    state: DriverMemory,
    deferrals: Deferrals,
    uncommitted: UncommittedReading,
    advice: String,
    finished: FinishedOffset => Unit
) {

  /** The ranges between two offsets, without what is deferred. The topology must be known.
    *
    * @param number Spark's number of the batch, if it is known
    * @throws io.github.dynamickafka.spark.errors.DynamicKafkaException see [[SourceDriver.plan]]
    */
  def ranges(start: SourceOffset, end: SourceOffset, number: Option[Long]): Vector[OffsetRange] = {
    val whole = planned(start, end)
    val batch = if (state.get.last.nonEmpty) whole else decided(whole, start, end, number)
    if (state.get.last.isEmpty) state.update(now => now.copy(finished = now.finished.map(_.readFrom(reader))))
    connected(batch)
    val read =
      if (state.get.last.nonEmpty) batch else state.keeping(uncommitted.of(state.get, number, batch, end))
    // Who stands in for a cluster is known only now.
    connected(read)
    reads(batch.map(_.id.cluster), end)
    read
  }

  private def connected(ranges: Vector[OffsetRange]): Unit = {
    val unknown = ranges.filter(range => connection(range.id.cluster).isEmpty)
    def why     = unknown.flatMap(range => state.get.unresolved(reader(range.id.cluster))).headOption
    if (unknown.nonEmpty) throw UncommittedBatch.unreachable(unknown, why, advice).exception
  }

  /** Takes note of the clusters that a batch reads.
    *
    * @param end the offset that has Kafka's ids of them
    */
  def reads(clusters: Vector[ClusterId], end: SourceOffset): Unit = {
    def kafkaId(id: ClusterId) = end.clusters.get(reader(id)).flatMap(_.kafkaId).orElse(standIn(id).flatMap(_.kafkaId))
    val ids                    = clusters.distinct
    state.update(_.copy(
      reading = ids.map(id => id -> kafkaId(id)).toMap,
      readingBy = ids.flatMap(id => connection(id).map(id -> _)).toMap
    ))
  }

  /** What an uncommitted batch reads, once it is decided what it defers. */
  private def decided(
      whole: Vector[OffsetRange],
      start: SourceOffset,
      end: SourceOffset,
      number: Option[Long]
  ): Vector[OffsetRange] = {
    finished(FinishedOffset.before(start, end))
    uncommitted.decide(state.get, number, whole, end)
    planned(start, end)
  }

  def planned(start: SourceOffset, end: SourceOffset): Vector[OffsetRange] =
    deferrals.left(OffsetRanges.between(start, end), end)

  /** The connections of the clusters that the batch planned last reads: the newest that are known. No others, so that
    * secrets go only where needed.
    */
  def connections: Map[ClusterId, ConnectionSettings] =
    state.get.reading.flatMap { case (id, _) => connection(id).orElse(state.get.readingBy.get(id)).map(id -> _) }

  private def connection(cluster: ClusterId): Option[ConnectionSettings] = state.get.connections.get(reader(cluster))

  /** Kafka's ids of those clusters, as far as they were known when the batch was planned. */
  def kafkaIds: Map[ClusterId, String] = state.get.reading.collect { case (id, Some(kafka)) => id -> kafka }

  /** The cluster from which a range of this one is read. */
  def reader(cluster: ClusterId): ClusterId = standIn(cluster).fold(cluster)(_.id)
  private def standIn(cluster: ClusterId)   = uncommitted.standIns.by.get(cluster).filter(_ => state.get.last.isEmpty)
}
