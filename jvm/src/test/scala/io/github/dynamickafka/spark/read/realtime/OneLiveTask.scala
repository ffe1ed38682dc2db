package io.github.dynamickafka.spark.read.realtime

import java.time.{Clock, Duration}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.kafka.consumer.ConsumerFactory
import io.github.dynamickafka.spark.plan.{OffsetRange, RangeEpochs}
import io.github.dynamickafka.spark.read.{ConsumerPool, ReadSettings, TaskEnvironment, TaskRanges}
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, RealTimeLink, RealTimeReport}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A task of Real-Time Mode with one partition of one cluster, which its driver lets go on. */
trait OneLiveTask {
  protected val eu: ClusterId = ClusterId("eu")

  protected class Driver extends RealTimeLink {
    val failed = new AtomicReference(Map.empty[ClusterId, ReaderFailure])

    override def says(report: RealTimeReport): RealTimeAnswer = {
      failed.updateAndGet(_ ++ report.failed): Unit
      RealTimeAnswer.GoesOn
    }
    override def ends(report: RealTimeReport): RealTimeAnswer = RealTimeAnswer.Ends
    override def known(ranges: Vector[Int]): Map[Int, Long]   = Map.empty
  }

  protected def pool(kafka: ConsumerFactory): ConsumerPool = new ConsumerPool(kafka, Clock.systemUTC, _ => ())

  protected def task(
      pool: ConsumerPool,
      link: RealTimeLink,
      servers: String = "b1:9092",
      from: Long = 0,
      epoch: Option[Int] = None
  ): RealTimeTask = {
    val range = OffsetRange(
      Offsets.id("eu", "orders", 0),
      from,
      Long.MaxValue,
      StreamId("s"),
      epochs = RangeEpochs(epoch, None)
    )
    new RealTimeReaderFactory(
      Map(eu -> new ConnectionSettings(Map("bootstrap.servers" -> servers))),
      Map.empty,
      // clusterReadTimeout is two minutes.
      ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), 1L << 30, "prefix", failOnDataLoss = true, ""),
      RowSchema.all,
      link
    ).reader(
      new TaskRanges(Array(range), numbers = Array(0)),
      TaskEnvironment(pool, () => false, Clock.systemUTC, () => System.nanoTime, Thread.sleep(_))
    )
  }
}
