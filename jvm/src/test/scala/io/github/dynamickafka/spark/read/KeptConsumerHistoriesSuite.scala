package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration, Instant, ZoneOffset}
import java.util.{Collection => JCollection}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.kafka.clients.consumer.{ConsumerRecord, ConsumerRecords, OffsetAndMetadata, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{InterruptException, TimeoutException}
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.github.dynamickafka.spark.columns.RowSchema
import io.github.dynamickafka.spark.fakes.RecordedConsumer
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, EpochPosition, RecordSource}
import io.github.dynamickafka.spark.metrics.{LargestValue, ReadFigures}
import io.github.dynamickafka.spark.options.TaskLimits
import io.github.dynamickafka.spark.plan.{OffsetRange, RangePieces}
import io.github.dynamickafka.spark.read.KeptConsumerHistoriesSuite._
import io.github.dynamickafka.spark.reconcile.observed.Extent
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Two queries read the same logs through the consumers of one executor. Logs are written, compacted and deleted, and tasks
  * are stopped and fail, at any time.
  */
class KeptConsumerHistoriesSuite extends munit.FunSuite {
  test("whatever happens, a task reads each record of its ranges once, in order") {
    for (seed <- 1 to Histories) new History(seed).run()
  }

  private class History(seed: Int) {
    private val random      = new Random(seed.toLong)
    private val logs        = (0 to 3).map(number => new TopicPartition("orders", number) -> new Log).toMap
    private val kafka       = new Logs(logs, random)
    private val pool        = new ConsumerPool(kafka, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC), _ => ())
    private val connections = Map(ClusterId("eu") -> new ConnectionSettings(Map.empty))
    private val figures     = new ReadFigures(new LargestValue(new CollectionAccumulator), new LongAccumulator)
    private val positions   = Array.fill(2)(mutable.Map.from(logs.keys.map(_ -> 0L)))
    private var time        = 0L
    private var stopped     = false

    def run(): Unit = for (_ <- 1 to 20) {
      logs.values.foreach(_.change(random))
      val query  = random.nextInt(2)
      val ranges = logs.toVector.sortBy(_._1.partition).flatMap { case (partition, log) =>
        val from  = positions(query)(partition)
        val until = if (random.nextBoolean()) log.end else from + random.between(0L, log.end - from + 1)
        positions(query)(partition) = until
        Option.when(until > from)(ReaderFixture.range("eu", "orders", partition.partition)(from, until))
      }
      val pieces = RangePieces.of(ranges, TaskLimits(minTasks = Some(random.between(1, 8).toLong)))
      val cut    = random.nextInt(pieces.size + 1)
      for (task <- Seq(pieces.take(cut), pieces.drop(cut)) if task.nonEmpty) check(task)
    }

    private def check(ranges: Vector[OffsetRange]): Unit = {
      val rows = read(ranges, tries = 8)
      for ((number, own) <- ranges.groupBy(_.id.partition)) {
        val log                   = logs(new TopicPartition("orders", number))
        val here                  = rows.collect { case (`number`, offset) => offset }
        def planned(offset: Long) = own.exists(range => range.from <= offset && offset < range.until)
        assertEquals(here, here.distinct.sorted, s"seed $seed: order of $own")
        assertEquals(here.filterNot(planned), Vector.empty, s"seed $seed: outside $own")
        assertEquals(log.records.filter(planned).toVector.diff(here), Vector.empty, s"seed $seed: lost of $own")
        assertEquals(here.toSet -- log.ever, Set.empty[Long], s"seed $seed: made up of $own")
      }
    }

    private def read(ranges: Vector[OffsetRange], tries: Int): Vector[(Int, Long)] = {
      val limit    = if (random.nextBoolean()) 1L else 1L << 30
      val settings = ReadSettings(Duration.ofSeconds(120), Duration.ofSeconds(60), limit, "prefix", false, "")
      val ill      = tries > 1 && random.nextBoolean()
      kafka.illness = if (ill) 0.1 else 0
      stopped = false
      val reader = new RangeReaderFactory(connections, Map.empty, settings, RowSchema.all, figures)
        .reader(
          ranges,
          TaskEnvironment(pool, () => stopped, Clock.systemUTC, () => { time += 10000000L; time }, _ => ())
        )
      try {
        val rows = Vector.newBuilder[(Int, Long)]
        while (reader.next()) {
          rows ++= reader.get().rowIterator.asScala.map(row => row.getInt(3) -> row.getLong(4))
          if (random.nextInt(4) == 0) logs.values.foreach(_.change(random))
          if (ill && random.nextInt(6) == 0) stopped = true
        }
        rows.result()
      } catch {
        case _: InterruptedException =>
          reader.close()
          read(ranges, tries - 1)
      } finally reader.close()
    }
  }
}

object KeptConsumerHistoriesSuite {
  private val Histories = 20

  /** A log that is written in steps, with gaps. */
  class Log {
    var earliest = 0L
    var end      = 0L
    val records  = mutable.SortedSet.empty[Long]
    val ever     = mutable.Set.empty[Long]

    def change(random: Random): Unit = random.nextInt(6) match {
      case 0 | 1 | 2 =>
        val more = random.nextInt(20)
        (end until end + more).filter(_ => random.nextInt(4) > 0).foreach { at => records += at; ever += at }
        end += more
      case 3                           => records.toVector.filter(_ => random.nextInt(3) == 0).foreach(records -= _)
      case 4 if random.nextInt(3) == 0 =>
        earliest = earliest.max(random.between(earliest, end + 1))
        records.filterInPlace(_ >= earliest): Unit
      case _ => ()
    }
  }

  /** What one fetch brings. No records and no next offset: it was out of range. */
  case class Fetched(from: Long, records: Vector[Long], next: Long)

  /** Its consumers have what was fetched before, as real ones. */
  class Logs(logs: Map[TopicPartition, Log], random: Random) extends ConsumerFactory {
    var illness = 0.0

    override def open(key: ConsumerKey): RecordSource = new RecordSource {
      private val positions = mutable.Map.empty[TopicPartition, Long]
      private val paused    = mutable.Set.empty[TopicPartition]
      private val buffer    = mutable.Map.empty[TopicPartition, Fetched]
      private val underWay  = mutable.Map.empty[TopicPartition, Fetched]
      private var assigned  = Set.empty[TopicPartition]

      override def assign(partitions: JCollection[TopicPartition]): Unit = {
        assigned = partitions.asScala.toSet
        positions.filterInPlace((tp, _) => assigned(tp))
        buffer.filterInPlace((tp, _) => assigned(tp))
        paused.filterInPlace(assigned): Unit
      }
      override def seek(partition: TopicPartition, offset: Long, epoch: Option[Int]): Unit = {
        require(assigned(partition), s"$partition is not assigned")
        positions(partition) = offset
      }
      override def caughtUp(partition: TopicPartition): Boolean =
        positions.get(partition).contains(logs(partition).end) && !buffer.contains(partition)
      override def pause(partitions: JCollection[TopicPartition]): Unit  = paused ++= partitions.asScala
      override def resume(partitions: JCollection[TopicPartition]): Unit = paused --= partitions.asScala

      override def poll(timeout: Duration): ConsumerRecords[Array[Byte], Array[Byte]] = {
        require(assigned.nonEmpty, "nothing is assigned")
        if (random.nextDouble() < illness)
          throw if (random.nextBoolean()) new TimeoutException("slow")
          else new InterruptException("stopped", new InterruptedException)
        val arrived = underWay.toVector.filter(_ => random.nextInt(3) > 0)
        underWay --= arrived.map(_._1)
        arrived.foreach { case (tp, found) => if (assigned(tp) && !buffer.contains(tp)) buffer(tp) = found }
        val taken = random.shuffle(buffer.toVector).filterNot(one => paused(one._1)).take(2)
          // A failure of the first one is thrown; that of another one comes with the next poll.
          .zipWithIndex.filter { case ((_, found), nth) => nth == 0 || found.next >= 0 }
          .flatMap { case ((tp, found), _) => drained(tp, found) }
        fetch()
        new ConsumerRecords(
          taken.collect {
            case (tp, (offsets, _)) if offsets.nonEmpty =>
              tp -> offsets.map(RecordedConsumer.record(tp, _)).asJava
          }.toMap[TopicPartition, java.util.List[ConsumerRecord[Array[Byte], Array[Byte]]]].asJava,
          taken.map { case (tp, (_, next)) => tp -> new OffsetAndMetadata(next) }.toMap.asJava
        )
      }

      private def drained(tp: TopicPartition, found: Fetched): Option[(TopicPartition, (Vector[Long], Long))] = {
        val at = positions(tp)
        if (found.from != at) { buffer -= tp; None }
        else if (found.next < 0) {
          buffer -= tp
          throw new OffsetOutOfRangeException(java.util.Map.of(tp, at))
        } else {
          val (now, later) = found.records.splitAt(random.between(1, 6))
          val next         = if (later.isEmpty) found.next else now.last + 1
          if (later.isEmpty) buffer -= tp else buffer(tp) = Fetched(next, later, found.next)
          positions(tp) = next
          Some(tp -> (now -> next))
        }
      }

      private def fetch(): Unit =
        for (tp <- assigned -- paused -- buffer.keySet -- underWay.keySet) {
          val (at, log) = (positions(tp), logs(tp))
          if (at < log.earliest || at > log.end) underWay(tp) = Fetched(at, Vector.empty, -1)
          else {
            val (found, rest) = log.records.iteratorFrom(at).toVector.splitAt(random.between(1, 12))
            val next          = if (rest.isEmpty) log.end else found.last + 1
            if (next > at) underWay(tp) = Fetched(at, found, next)
          }
        }

      override def extents(of: JCollection[TopicPartition], timeout: Duration): Map[TopicPartition, Extent] =
        of.asScala.map(tp => tp -> Extent(logs(tp).earliest, logs(tp).end)).toMap
      override def agreement(
          of: Map[TopicPartition, EpochPosition],
          timeout: Duration
      ): Map[TopicPartition, Option[Long]] = Map.empty
      override def kafkaId: Option[String]                            = Some("kafka-eu")
      override def topicId(topic: String): Option[String]             = None
      override def knows(topic: String): Boolean                      = true
      override def deleted(topic: String, timeout: Duration): Boolean = false
      override def leaderEpoch(of: TopicPartition): Option[Int]       = None
      override def wakeup(): Unit                                     = ()
      override def close(): Unit                                      = ()
    }
  }
}
