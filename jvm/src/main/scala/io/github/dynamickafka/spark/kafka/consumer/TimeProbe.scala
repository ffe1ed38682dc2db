package io.github.dynamickafka.spark.kafka.consumer

import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executor, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong, AtomicReference}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.kafka.clients.consumer.{ConsumerRecords, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.{InterruptException, RetriableException, TimeoutException}
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.kafka.client.ClientPerCluster
import io.github.dynamickafka.spark.kafka.failure.{Attempt, Diagnosis}
import io.github.dynamickafka.spark.options.DurationText
import io.github.dynamickafka.spark.plan.{LookAhead, TimedOffset, TimestampLookup}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed

/** Reads the times of the next records of one cluster, through a consumer of the driver: no other request returns them.
  * The consumer is opened at the first look and kept. No call blocks the caller.
  *
  * @param timeout how long a look may make no progress. A look as a whole may take longer: a gap without records, such
  *                as a large aborted transaction, is passed in many steps
  * @param threads where looks run, one at a time
  * @param nanoTime any rising clock, in nanoseconds
  */
final class TimeProbe(
    key: ConsumerKey,
    factory: ConsumerFactory,
    timeout: Duration,
    threads: Executor,
    nanoTime: () => Long
) extends AutoCloseable {
  import TimeProbe._

  private val looking = new AtomicBoolean(false)
  private val closed  = new AtomicBoolean(false)
  // When the look under way began, or passed more offsets.
  private val moved = new AtomicLong
  // Between two looks.
  private val kept = new AtomicReference(Option.empty[RecordSource])

  /** The times behind these positions. A failure is an answer too: the future never fails. */
  def look(from: Map[PartitionId, TimestampLookup]): CompletableFuture[Either[Failed, Map[PartitionId, LookAhead]]] = {
    val look =
      if (looking.compareAndSet(false, true)) {
        moved.set(nanoTime())
        CompletableFuture.supplyAsync(() => looked(from), threads)
      } else CompletableFuture.failedFuture(new TimeoutException("an earlier look has not ended yet"))
    limited(look)
      .thenApply[Either[Failed, Map[PartitionId, LookAhead]]](Right(_))
      .exceptionally(e => Left(Failed(failure(e))))
  }

  private def limited[A](look: CompletableFuture[A]): CompletableFuture[A] = {
    val before = moved.get
    look.copy().orTimeout(timeout.toMillis, TimeUnit.MILLISECONDS).exceptionallyCompose(e =>
      if (!look.isDone && moved.get != before) limited(look) else CompletableFuture.failedFuture(e)
    )
  }

  /** Ends a look under way, within a moment, and closes the consumer in the background. */
  override def close(): Unit = {
    closed.set(true)
    kept.getAndSet(None).foreach(consumer => ClientPerCluster.closing.execute(() => letGo(consumer)))
  }

  private def looked(from: Map[PartitionId, TimestampLookup]): Map[PartitionId, LookAhead] =
    try {
      unlessClosed()
      val consumer = kept.getAndSet(None).getOrElse(factory.open(key))
      val found    =
        try new Looking(consumer, from).found
        // A consumer that failed may be in any state. So the next look opens another one.
        catch { case e: Throwable => letGo(consumer); throw e }
      kept.set(Some(consumer))
      found
    } finally {
      looking.set(false)
      // Closed meanwhile, when there was nothing to close.
      if (closed.get) kept.getAndSet(None).foreach(letGo)
    }

  private def unlessClosed(): Unit = if (closed.get) throw new InterruptException("the source was closed")

  private def letGo(consumer: RecordSource): Unit = {
    // An interrupted thread could not close it.
    val interrupted = Thread.interrupted()
    try consumer.close()
    catch { case NonFatal(e) => log.info(s"consumer failed to close error=${e.getClass.getName}", e) }
    finally if (interrupted) Thread.currentThread.interrupt()
  }

  private val failure =
    Diagnosis.failure(Attempt(key.cluster, "read the times of records", operation = "READ"), timeout) _

  /** One look at all partitions. */
  private class Looking(consumer: RecordSource, from: Map[PartitionId, TimestampLookup]) {
    private val partitions = from.map { case (id, lookup) =>
      new TopicPartition(id.topic, id.partition) -> (id -> lookup)
    }
    private val kafkaId = from.valuesIterator.flatMap(_.kafkaId).nextOption()

    def found: Map[PartitionId, LookAhead] = {
      consumer.assign(partitions.keySet.asJava)
      partitions.foreach { case (partition, (_, lookup)) => consumer.seek(partition, lookup.position.next, None) }
      // An earlier look may have paused them.
      consumer.resume(partitions.keySet.asJava)
      more(Map.empty).map { case (partition, look) => partitions(partition)._1 -> look }
    }

    @tailrec
    private def more(seen: Map[TopicPartition, LookAhead]): Map[TopicPartition, LookAhead] =
      if (seen.size == partitions.size) seen
      else if (nanoTime() - moved.get >= timeout.toNanos)
        throw new TimeoutException(
          s"no record of ${partitions.size - seen.size} partitions within ${DurationText.text(timeout)}"
        )
      else {
        unlessClosed()
        val news = poll().filterNot { case (partition, _) => seen.contains(partition) }
        if (news.nonEmpty) consumer.pause(news.keySet.asJava)
        more(seen ++ news)
      }

    private def poll(): Map[TopicPartition, LookAhead] =
      try lookAheads(polled())
      catch {
        // Records that aged out in between have no time. The next step of the query finds the loss.
        case e: OffsetOutOfRangeException => e.offsetOutOfRangePartitions.keySet.asScala.flatMap { partition =>
            partitions.get(partition).map { case (_, lookup) =>
              partition -> LookAhead(lookup.position, lookup.until, Vector.empty)
            }
          }.toMap
        case _: RetriableException => Map.empty
      }

    // What another Kafka cluster says about these topics means nothing, nor do its failures.
    private def polled(): ConsumerRecords[Array[Byte], Array[Byte]] =
      try {
        val fetched = consumer.poll(Moment)
        if (!fetched.nextOffsets.isEmpty) moved.set(nanoTime())
        fetched
      } finally
        for (known <- kafkaId; other <- consumer.kafkaId if other != known)
          throw ClusterObservation.changed(key.cluster, known, other).exception

    // Where nothing is left but markers of transactions, for example, there is a next offset and no record.
    private def lookAheads(fetched: ConsumerRecords[Array[Byte], Array[Byte]]): Map[TopicPartition, LookAhead] =
      (for {
        (partition, next) <- fetched.nextOffsets.asScala.iterator
        (_, lookup)       <- partitions.get(partition)
        records = fetched.records(partition)
        if !records.isEmpty || next.offset >= lookup.until
      } yield {
        val times = records.iterator.asScala.map(record => TimedOffset(record.offset, record.timestamp))
        partition -> LookAhead.of(lookup.position, next.offset, times)
      }).toMap
  }
}

object TimeProbe {
  private val log = LoggerFactory.getLogger(classOf[TimeProbe])

  // How often a look checks whether the source was closed.
  private val Moment = Duration.ofMillis(200)
}
