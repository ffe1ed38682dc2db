package io.github.dynamickafka.spark.read

import java.time.Clock

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.metrics.ReadFigures

/** What a task measures while it reads one cluster.
  *
  * @param clock what event times are compared with
  */
final private[read] class ReadMeasures(cluster: ClusterId, figures: ReadFigures, clock: Clock) {

  /** A poll has brought these. */
  def took(records: PolledRecords): Unit = {
    records.oldest.foreach(time => figures.lateness.add(clock.millis - time))
    figures.sizes.filter(_.open).foreach { sizes =>
      sizes.records.add(records.size.toLong)
      sizes.bytes.add(records.bytes)
    }
  }

  /** A partition is read up to there. */
  def ended(reading: OpenPartition, until: Long): Unit = for {
    times <- figures.times
    time  <- reading.lastTime
  } times.add(PartitionId(cluster, reading.partition.topic, reading.partition.partition), until, time)

  def lost(records: Long): Unit = figures.lostRecords.add(records)
}
