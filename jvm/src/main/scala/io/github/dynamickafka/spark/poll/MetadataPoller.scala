package io.github.dynamickafka.spark.poll

import java.time.{Clock, Duration}
import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import java.util.concurrent.locks.Lock

import scala.annotation.tailrec
import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark.ask.CallOrder
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.metadata.MetadataFetch
import io.github.dynamickafka.spark.options.{DiscoverySettings, DurationText}

/** Asks the metadata service at the start and then at each interval, and keeps its latest good answer.
  *
  * Each call has its own thread, so a call that hangs delays nobody. A call is over when it returns or when its time
  * limit ends, whichever is first. Then the next step is planned, within an interval ([[AskTimes]]). While a call hangs
  * beyond its limit, each further interval counts as one more failure. So at most one call and one planned step exist at
  * any time.
  *
  * @param fetch one whole fetch
  * @param lock of a service object that other queries use too; it is held during each call
  * @param listener is informed of answers and failures, and closes the service if it belongs to the source
  */
final class MetadataPoller private[poll] (
    fetch: MetadataFetch,
    lock: Option[Lock],
    settings: DiscoverySettings,
    log: QueryLog,
    clock: Clock,
    listener: PollListener,
    threads: PollThreads
) extends AutoCloseable {
  private val failures = new PollFailures(settings)
  private val times    = settings.interval.map(AskTimes(_, threads.share))
  private val state    = new AtomicReference(PollState())
  // The planned step that is valid. A fetch that is needed at once replaces it.
  private val plans = new AtomicLong
  // Threads that wait for a fetch are woken when one is over.
  private val over = new Object

  /** @param name for threads */
  def this(
      fetch: MetadataFetch,
      lock: Option[Lock],
      settings: DiscoverySettings,
      name: String,
      log: QueryLog,
      clock: Clock,
      listener: PollListener
  ) = this(fetch, lock, settings, log, clock, listener, new DaemonThreads(name))

  /** The latest answer, and the health of the service. Never waits. */
  def current: PollState = state.get

  /** The failure that ends the query, once more consecutive fetches failed than are tolerated. */
  def giveUp: Option[DynamicKafkaException] = {
    val health = current.health
    Option.when(health.givesUp(settings.failureThreshold))(failures.tooMany(health))
  }

  /** From the next fetch on, the service is also asked whether these clusters are active. */
  def drainingChanged(ids: Set[ClusterId]): Unit = {
    state.updateAndGet(_.copy(draining = ids))
    ()
  }

  /** The latest answer, which the caller uses from now on. The first call of a start fetches it and then starts the
    * schedule. That takes at most the request timeout, which includes waiting for another query's call.
    *
    * @param draining clusters that are asked about in addition to the listed ones
    * @throws DynamicKafkaException why that first fetch failed; `METADATA_UNAVAILABLE` if it took too long
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def first(draining: Set[ClusterId]): MetadataAnswer = synchronized {
    val answer = current.answer.getOrElse {
      drainingChanged(draining)
      start()
    }
    listener.taken(answer)
    answer
  }

  /** A fetch that begins after a call has ended, and is made at once. It decides whether the metadata still lists what
    * failed.
    *
    * @param order of the end of that call ([[CallOrder]])
    * @param within how long the caller waits for it
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def after(order: Long, within: Duration): LaterFetch = {
    val end = System.nanoTime + within.toNanos
    // A call that is under way began too early. The next one follows at once.
    if (state.updateAndGet(_.wanting(order)).unmet) launch()
    @tailrec def await(): LaterFetch = {
      val left = (end - System.nanoTime) / 1000000
      over.synchronized {
        val found = current.after(order)
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

  /** The ids of all streams that the service knows, for the text of an error that ends the query: no fetch follows.
    * None if it does not answer in time: the error is useful without them, too.
    *
    * @throws InterruptedException if the query is stopped meanwhile
    */
  def streams(): Option[SortedSet[StreamId]] = {
    val found  = new AtomicReference(Option.empty[SortedSet[StreamId]])
    val thread = threads.thread {
      try locked(found.set(Some(fetch.streams())))
      catch { case _: Throwable => log.info("The metadata service does not list its streams.") }
    }
    val order = CallOrder.next()
    if (state.getAndUpdate(_.asking(thread, order)).free) {
      thread.start()
      thread.join(MetadataPoller.Aside.min(settings.requestTimeout.toMillis.max(1)))
    }
    found.get
  }

  private def start(): MetadataAnswer = {
    val thread = launch().getOrElse {
      if (current.closed) throw closedMeanwhile
      throw failures.hanging
    }
    thread.join(settings.requestTimeout.toMillis.max(1))
    change(now => now.expired(thread, failures.lateAtStart(lock.nonEmpty && now.waiting))): Unit
    val reached = current
    if (reached.closed) throw closedMeanwhile
    val answer = reached.answer.getOrElse(throw reached.health.lastFailure.getOrElse(failures.noAnswer))
    if (settings.interval.isEmpty)
      log.info("metadataDiscoveryInterval is -1: the metadata is fetched only at the start.")
    plan()
    answer
  }

  private def closedMeanwhile = new IllegalStateException("The source was closed before its metadata was fetched.")

  /** Starts a call, unless one is under way. */
  private def launch(): Option[Thread] = {
    val thread = threads.thread(call())
    val order  = CallOrder.next()
    Option.when(state.getAndUpdate(_.asking(thread, order)).free) {
      // The schedule must go on, even if the machine can't start a thread.
      try thread.start()
      catch { case e: Throwable => settle(_.failed(thread, failures.of(e)), thread) }
      thread
    }
  }

  // Runs on the call's own thread, and catches everything: whatever a service throws, discovery continues.
  private def call(): Unit = {
    val thread  = Thread.currentThread
    val outcome =
      try locked(ask(thread))
      catch { case e: Throwable => (_: PollState).failed(thread, failures.of(e)) }
    settle(outcome, thread)
  }

  private def locked[A](body: => A): A = {
    lock.foreach(_.lockInterruptibly())
    try body
    finally lock.foreach(_.unlock())
  }

  private def ask(thread: Thread): PollState => PollState = {
    val order  = CallOrder.next()
    val before = state.getAndUpdate(_.running(thread, order))
    if (!before.awaits(thread)) throw new CancellationException("closed, or too late, before the service was asked")
    // At the start the caller watches the time limit.
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

  private def plan(): Unit = times.foreach { times =>
    val mine = plans.incrementAndGet()
    threads.later(times.next(threads.time))(if (plans.get == mine) step())
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

  /** @return the state before the change */
  private def change(transition: PollState => PollState): PollState = {
    val before = state.getAndUpdate(transition(_))
    val now    = transition(before).health
    if (before.answer.nonEmpty) report(before.health, now)
    if (now.failures > before.health.failures) now.lastFailure.foreach(listener.failed)
    before
  }

  private def report(before: PollHealth, now: PollHealth): Unit =
    if (now.failures != before.failures) {
      val failure = now.lastFailure.filter(_ => now.failures > 0)
      log.warnings("metadata", failure.toVector.map(why => PollFailures.cause(why) -> kept(why, now)), clock.instant())
      // A warning also reports the recovery.
      if (now.failures == 0) log.warn(PollFailures.over(before))
    }

  private def kept(why: DynamicKafkaException, now: PollHealth): String =
    s"${Condition.MetadataUnavailable} The metadata could not be fetched; the last topology is kept. " +
      s"interval=${settings.interval.fold("-1")(DurationText.text)} " +
      s"lastGood=${now.lastGood.fold("none")(_.toString)} " +
      s"failure=${why.summary}"

  /** Ends the schedule, interrupts a call that is under way, and closes the service if the source made it. All this
    * takes at most 7 seconds. What still hangs then is left on its daemon thread, with a warning.
    */
  override def close(): Unit = {
    val before = state.getAndUpdate(_.copy(closed = true))
    over.synchronized(over.notifyAll())
    if (!before.closed) {
      threads.close()
      val call = before.call.map(_.thread)
      call.foreach(_.interrupt())
      new PollerShutdown(log, threads, fetch.masked).close(call, () => listener.close())
    }
  }
}

private object MetadataPoller {

  // How long an error waits for details that it can do without, in milliseconds.
  val Aside = 5000L
}
