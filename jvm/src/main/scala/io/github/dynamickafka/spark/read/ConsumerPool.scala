package io.github.dynamickafka.spark.read

import java.time.{Clock, Duration}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.kafka.common.TopicPartition
import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.{ConsumerFactory, ConsumerKey, FetchSizes, KafkaConsumers}
import io.github.dynamickafka.spark.topology.ConnectionSettings

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
  // Of all tasks that borrow here, and of the consumers that are idle.
  private val budget = new AtomicReference(FetchBudget())

  // Those of which the last task got no answer, though it exchanged its consumers.
  private val silent = ConcurrentHashMap.newKeySet[ClusterId]

  /** Whether a cluster may be too far away for consumers that are soon exchanged. */
  private[read] def isFar(cluster: ClusterId): Boolean = silent.contains(cluster)

  private[read] def far(cluster: ClusterId, is: Boolean): Unit =
    if (is) silent.add(cluster): Unit else silent.remove(cluster): Unit

  /** What is held in all. */
  private[read] def held: FetchBudget = budget.get

  /** A share of the budget, for one task. The caller closes it. */
  private[read] def share(limits: FetchBudget.Limits): FetchShare = new FetchShare(budget, limits, letGo)

  /** An idle consumer for these partitions, or else a new one. The caller gives it back or discards it.
    *
    * @param opening what a new one is opened with
    */
  def borrow(key: ConsumerKey, wanted: Iterable[TopicPartition], opening: ConnectionSettings): WarmConsumer = {
    val idle = synchronized {
      val (next, found) = state.borrowed(key, wanted)
      become(next)
      found
    }
    idle.getOrElse {
      log.debug(s"consumer opened cluster=${key.cluster}")
      val opened = new WarmConsumer(factory.open(key.copy(connection = opening)), FetchSizes.of(key.connection))
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

  // Idle consumers let go of so much. They stay connected.
  private def letGo(bytes: Long): Unit = synchronized {
    val (next, emptied) = state.emptied(bytes)
    emptied.foreach(attempt("let go")(_.letGo()))
    become(next)
  }

  // Within the lock.
  private def become(next: PoolState): Unit = {
    state = next
    budget.updateAndGet(_.copy(idle = next.bytes)): Unit
  }

  private def change(step: PoolState => PoolState): Unit = {
    val first = synchronized {
      val before = state
      become(step(before).copy(cleaning = true))
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
      become(next)
      due
    }
    // First, because each of them takes a moment to close.
    closing.foreach(attempt("let go")(_.letGo()))
    closing.foreach(attempt("close")(_.close()))
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

  private def attempt(what: String)(step: WarmConsumer => Unit)(consumer: WarmConsumer): Unit =
    try step(consumer)
    catch { case NonFatal(e) => log.info(s"consumer failed to $what error=${e.getClass.getName}", e) }
}

object ConsumerPool {
  private val log = LoggerFactory.getLogger(classOf[ConsumerPool])

  /** The one pool of an executor, with its budget. */
  val shared: ConsumerPool = new ConsumerPool(KafkaConsumers, Clock.systemUTC, start)

  private def start(cleaning: Runnable): Unit = {
    val thread = new Thread(cleaning, "dynamic-kafka-consumer-cleaner")
    thread.setDaemon(true)
    thread.setContextClassLoader(getClass.getClassLoader)
    thread.start()
  }
}
