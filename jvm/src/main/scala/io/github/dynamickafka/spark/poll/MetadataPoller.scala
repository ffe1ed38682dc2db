package io.github.dynamickafka.spark.poll

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import java.util.concurrent.locks.Lock

import scala.annotation.tailrec

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.options.{DiscoverySettings, DurationText}

/** Asks the metadata service at the start, then again and again, and keeps its latest good answer.
  *
  * Each call has a thread of its own, so that one that hangs holds nobody up. Of a call's two ends, its return and the
  * end of its time, the one that comes first plans the next step, an interval later; while it hangs beyond its time,
  * each further interval is one more failure. So at most one call and one planned step exist at any time.
  *
  * @param fetch one whole fetch, given the clusters to ask about beside the listed ones
  * @param lock of a service object that other queries use too: held during each call
  * @param name of the query, for threads and log lines
  * @param onClose closes the service, if it is the source's own
  */
final class MetadataPoller private[poll] (
    fetch: Set[ClusterId] => FetchedTopology,
    lock: Option[Lock],
    settings: DiscoverySettings,
    name: String,
    clock: Clock,
    onClose: () => Unit,
    threads: PollThreads
) extends AutoCloseable {
  private val log      = LoggerFactory.getLogger(classOf[MetadataPoller])
  private val failures = new PollFailures(settings)
  private val state    = new AtomicReference(PollState())
  // The planned step that counts: a fetch that was wanted at once plans another one in its place.
  private val plans = new AtomicLong
  // Whoever waits for a fetch is woken when one is over.
  private val over = new Object

  def this(
      fetch: Set[ClusterId] => FetchedTopology,
      lock: Option[Lock],
      settings: DiscoverySettings,
      name: String,
      clock: Clock,
      onClose: () => Unit
  ) = this(fetch, lock, settings, name, clock, onClose, new DaemonThreads(name))

  /** The latest answer and how well the service does. Never waits. */
  def current: PollState = state.get

  /** The failure to end the query with, once more consecutive fetches failed than are tolerated. */
  def giveUp: Option[DynamicKafkaException] = {
    val health = current.health
    Option.when(health.givesUp(settings.failureThreshold))(failures.tooMany(health))
  }

  /** From the next fetch on, also asks whether these clusters are active. */
  def drainingChanged(ids: Set[ClusterId]): Unit = {
    state.updateAndGet(_.copy(draining = ids))
    ()
  }

  /** The latest answer. The first call of a start fetches it, in at most the request time-out, in which waiting for
    * another query's call counts too, and then starts the schedule.
    *
    * @param draining clusters to ask about beside the listed ones
    * @throws DynamicKafkaException why that first fetch failed; `METADATA_UNAVAILABLE` if it took too long
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def first(draining: Set[ClusterId]): Answer = synchronized {
    current.answer.getOrElse {
      drainingChanged(draining)
      start()
    }
  }

  /** A fetch that begins after this moment, at once: of what was seen then, it decides whether the metadata still wants
    * it.
    *
    * @param within how long it is waited for
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def after(moment: Instant, within: Duration): LaterFetch = {
    val end = System.nanoTime + within.toNanos
    // A call on its way began earlier: the next one follows it at once.
    if (state.updateAndGet(_.wanting(moment)).unmet) launch()
    @tailrec def await(): LaterFetch = {
      val left = (end - System.nanoTime) / 1000000
      over.synchronized {
        val found = current.after(moment)
        if (found.isEmpty && left > 0) over.wait(left)
        found
      } match {
        case Some(found)       => found
        case None if left <= 0 => LaterFetch.Pending
        case None              => await()
      }
    }
    await()
  }

  private def start(): Answer = {
    val thread = launch().getOrElse {
      if (current.closed) throw closedMeanwhile
      throw failures.hanging
    }
    thread.join(settings.requestTimeout.toMillis.max(1))
    state.updateAndGet(now => now.expired(thread, failures.lateAtStart(lock.nonEmpty && now.waiting)))
    val reached = current
    if (reached.closed) throw closedMeanwhile
    val answer = reached.answer.getOrElse(throw reached.health.lastFailure.getOrElse(failures.noAnswer))
    if (settings.interval.isEmpty)
      log.info("Without a metadataDiscoveryInterval the metadata is fetched at the start alone. source={}", name)
    plan()
    answer
  }

  private def closedMeanwhile = new IllegalStateException("The source was closed before its metadata was fetched.")

  /** Starts a call, unless one is on its way. */
  private def launch(): Option[Thread] = {
    val thread = threads.thread(call())
    Option.when(state.getAndUpdate(_.asking(thread, clock.instant())).free) {
      // Not even a machine without threads to give ends the schedule.
      try thread.start()
      catch { case e: Throwable => settle(_.failed(thread, failures.of(e)), thread) }
      thread
    }
  }

  // Runs on the call's own thread, and catches all there is: whatever a service throws, discovery goes on.
  private def call(): Unit = {
    val thread  = Thread.currentThread
    val outcome =
      try {
        lock.foreach(_.lockInterruptibly())
        try ask(thread)
        finally lock.foreach(_.unlock())
      } catch { case e: Throwable => (_: PollState).failed(thread, failures.of(e)) }
    settle(outcome, thread)
  }

  private def ask(thread: Thread): PollState => PollState = {
    val before = state.getAndUpdate(_.running(thread, clock.instant()))
    if (!before.awaits(thread)) throw new CancellationException("closed, or too late, before the service was asked")
    // At the start it is the caller who watches the time.
    if (before.answer.nonEmpty)
      threads.later(settings.requestTimeout)(settle(_.expired(thread, failures.late), thread))
    val began = clock.instant()
    val found = Option(fetch(before.draining)).getOrElse(throw failures.noAnswer)
    val ended = clock.instant()
    _.answered(thread, found, began, ended)
  }

  private def settle(outcome: PollState => PollState, thread: Thread): Unit = {
    val before = change(outcome)
    over.synchronized(over.notifyAll())
    if (before.answer.nonEmpty)
      if (current.unmet && current.free) launch(): Unit
      else if (before.awaits(thread)) plan()
  }

  private def plan(): Unit = settings.interval.foreach { interval =>
    val mine = plans.incrementAndGet()
    threads.later(interval)(if (plans.get == mine) step())
  }

  private def step(): Unit =
    try
      if (current.overdue) {
        change(now => if (now.overdue) now.missed(failures.hanging) else now)
        plan()
      } else {
        launch()
        ()
      }
    catch {
      case e: Throwable =>
        change(_.missed(failures.of(e)))
        plan()
    }

  /** @return the state before */
  private def change(transition: PollState => PollState): PollState = {
    val before = state.getAndUpdate(transition(_))
    if (before.answer.nonEmpty) report(before.health, transition(before).health)
    before
  }

  private def report(before: PollHealth, now: PollHealth): Unit =
    if (before.failures == 0 && now.failures > 0)
      log.warn(
        "{} The metadata could not be fetched; the last topology stays. interval={} lastGood={} source={} failure={}",
        Condition.MetadataUnavailable,
        settings.interval.fold("-1")(DurationText.text),
        now.lastGood.fold("none")(_.toString),
        name,
        now.lastFailure.fold("none")(_.getMessage)
      )
    else if (before.failures > 0 && now.failures == 0)
      log.info("The metadata is fetched again. failures={} source={}", before.failures, name)

  /** Ends the schedule, interrupts a call that is on its way, and closes a service of the source's own; all within 7
    * seconds. What hangs on is left to its daemon thread, with a warning.
    */
  override def close(): Unit = {
    val before = state.getAndUpdate(_.copy(closed = true))
    over.synchronized(over.notifyAll())
    if (!before.closed) {
      threads.close()
      val call = before.call.map(_.thread)
      call.foreach(_.interrupt())
      new Farewell(name, threads).close(call, onClose)
    }
  }
}
