package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.kafka.common.TopicPartition
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, FetchSizes, KafkaConsumers}

/** Keeps consumers between tasks, because a new one costs a task more than reading a small batch
  * (`make bench-quick ARGS=weights`). Two tasks never have the same consumer.
  *
  * One thread closes consumers, so that tasks need not. It runs only while there is something to close: a thread that
  * runs for ever would keep the class loader of a closed session.
  *
  * @param start runs the cleaning on a thread of its own
  */
final class ConsumerPool(factory: ConsumerFactory, clock: Clock, start: Runnable => Unit) {
  import ConsumerPool._

  // Guarded by this object's lock, which is also what the cleaning waits on.
  private var state = PoolState()

  /** An idle consumer for these partitions, or else a new one. The caller gives it back or discards it. */
  def borrow(key: ConsumerKey, wanted: Iterable[TopicPartition]): WarmConsumer = {
    val idle = synchronized {
      val (next, found) = state.borrowed(key, wanted)
      state = next
      found
    }
    idle.getOrElse {
      log.debug(s"consumer opened cluster=${key.cluster}")
      val opened = new WarmConsumer(factory.open(key), FetchSizes.of(key.connection))
      synchronized { state = state.lent(key, opened) }
      opened
    }
  }

  /** Takes back a consumer that works, and closes it once nobody has borrowed it for this long. */
  def giveBack(key: ConsumerKey, consumer: WarmConsumer, idleTimeout: Duration): Unit =
    change(_.givenBack(key, consumer, clock.instant, idleTimeout))

  /** Takes back a consumer that failed, or may have, and closes it. */
  def discard(consumer: WarmConsumer): Unit = change(_.discarded(consumer))

  /** The same, for this consumer and all others of its key. Idle ones are closed, and borrowed ones are closed when
    * they are given back. Whoever borrows next gets a new one.
    */
  def discardAlike(key: ConsumerKey, consumer: WarmConsumer): Unit = change(_.discarded(consumer).doubted(key))

  private def change(step: PoolState => PoolState): Unit = {
    val first = synchronized {
      val before = state
      state = step(before).copy(cleaning = true)
      notifyAll()
      !before.cleaning
    }
    if (first)
      try start(() => cleaning(cleanUp()))
      catch {
        case e: OutOfMemoryError =>
          log.warn("there is no thread that closes consumers; the next one that is given back tries again", e)
          stopped()
      }
  }

  private def cleaning(work: => Unit): Unit =
    try work
    catch {
      case e: Throwable =>
        stopped()
        throw e
    }

  private def stopped(): Unit = synchronized { state = state.copy(cleaning = false) }

  @tailrec
  private def cleanUp(): Unit =
    if (sweep().exists { wait => await(wait); true }) cleanUp()

  /** Closes the consumers that are due.
    *
    * @return how long until the next one is due; if there is none, the next change starts a new cleaning
    */
  private[read] def sweep(): Option[Duration] = {
    val closing = synchronized {
      val (next, due) = state.due(clock.instant)
      state = next
      due
    }
    closing.foreach(close)
    synchronized {
      val wait = state.untilDue(clock.instant)
      state = state.copy(cleaning = wait.isDefined)
      wait
    }
  }

  // Consumers may have changed since the sweep, so the time is computed anew.
  private def await(time: Duration): Unit = synchronized {
    val now = state.untilDue(clock.instant).fold(time)(other => if (other.compareTo(time) < 0) other else time)
    if (now.compareTo(Duration.ZERO) > 0) wait(now.toMillis.max(1))
  }

  private def close(consumer: WarmConsumer): Unit =
    try consumer.close()
    catch { case NonFatal(e) => log.info(s"consumer failed to close error=${e.getClass.getName}", e) }
}

object ConsumerPool {
  private val log = LoggerFactory.getLogger(classOf[ConsumerPool])

  /** The one pool of an executor. */
  val shared: ConsumerPool = new ConsumerPool(KafkaConsumers, Clock.systemUTC, start)

  private def start(cleaning: Runnable): Unit = {
    val thread = new Thread(cleaning, "dynamic-kafka-consumer-cleaner")
    thread.setDaemon(true)
    thread.setContextClassLoader(getClass.getClassLoader)
    thread.start()
  }
}
