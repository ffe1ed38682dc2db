package io.github.dynamickafka.spark.status

import java.time.Clock
import java.util.concurrent.{CountDownLatch, RejectedExecutionException, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.Condition

/** Keeps the status of one query, on a thread of its own. Best effort: whatever the place does, the query continues. A
  * failure is a line in the log, once for each cause.
  *
  * @param first what is known at the start
  * @param next the status that follows one; called on the keeper's thread
  * @param name of the source, for the thread
  * @param over is called when nothing is written any more
  * @param process when it ends before the query does, it has the last status written
  */
final class StatusKeeper(
    place: StatusPlace,
    first: QueryStatus,
    next: QueryStatus => QueryStatus,
    clock: Clock,
    name: String,
    over: () => Unit = () => (),
    process: ProcessEnd = ProcessEnd.ofThis
) extends AutoCloseable {
  import StatusKeeper._

  private val log    = LoggerFactory.getLogger(classOf[StatusKeeper])
  private val state  = new AtomicReference(StatusFileSchedule(first))
  private val kept   = new CountDownLatch(1)
  private val thread = new ScheduledThreadPoolExecutor(
    1,
    body => {
      val thread = new Thread(body, s"dynamic-kafka-status-$name")
      thread.setDaemon(true)
      thread
    }
  )

  /** From now on the status is kept. */
  def start(): Unit = {
    process.add(this)
    later(0)(round())
  }

  /** From now on the status says that the query has ended. It is written soon; nobody waits. A later call corrects an earlier
    * one.
    */
  def ended(as: QueryState): Unit = later(0)(end(as))

  /** The same, when it is certain how the query has ended. */
  def endedFinally(as: QueryState): Unit = {
    ended(as)
    later(0)(finish())
  }

  /** The process ends and stops the query. What the query fails with from now on is a consequence, and does not count. If it
    * had ended before, the reason may still come.
    */
  private[status] def leave(): Unit = later(0) {
    if (!state.get.ended) {
      end(QueryState.StoppedByProcess)
      finish()
    }
  }

  /** Waits for that, and a little more for the reason of a query that has ended already.
    *
    * @param until by `System.nanoTime`. The wait for the reason may go half a second beyond it
    */
  private[status] def awaitLeft(until: Long): Unit = {
    val reason = TimeUnit.MILLISECONDS.toNanos(Reason)
    if (kept.await(until - System.nanoTime, TimeUnit.NANOSECONDS))
      thread.awaitTermination(Math.min(reason, until + reason - System.nanoTime), TimeUnit.NANOSECONDS): Unit
    else warnUnwritten()
  }

  /** Waits a little for the status that says that the query has ended. Its thread ends some seconds later, because only then
    * it is certain how the query has ended.
    */
  override def close(): Unit = {
    // Spark stops a query by interrupting its thread, and that thread runs this code.
    val interrupted = Thread.interrupted()
    try {
      later(Patience)(finish())
      if (!kept.await(Wait, TimeUnit.MILLISECONDS)) {
        warnUnwritten()
        finish()
      }
    } finally if (interrupted) Thread.currentThread.interrupt()
  }

  /** Nothing more is written. */
  def finish(): Unit = if (!thread.isShutdown) {
    process.remove(this)
    over()
    thread.shutdownNow(): Unit
  }

  private def end(as: QueryState): Unit = {
    look(_.copy(state = as))
    write()
    kept.countDown()
  }

  private def round(): Unit = {
    val began = System.nanoTime
    if (!state.get.ended) {
      look()
      val took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime - began)
      write()
      // A query of very many partitions must not be busy with its status.
      later(Math.max(Round, Share * took))(round())
    }
  }

  // Only the keeper's thread changes the state.
  private def look(change: QueryStatus => QueryStatus = identity): Unit = {
    val before = state.get.status
    try {
      val now = next(before)
      state.updateAndGet(_.made(change(now))): Unit
    } catch {
      case Caught(failure) =>
        val why = s"The status of the query can't be made, and its file is not up to date. failure=$failure"
        if (!state.getAndUpdate(_.unmade(why).copy(status = change(before))).wrong.contains(why)) warn(why)
    }
  }

  private def write(): Unit = {
    val now = state.get
    val at  = clock.instant()
    if (now.due(at))
      try {
        place.write(QueryStatusJson.write(now.status, at))
        state.updateAndGet(_.arrived(at)): Unit
        if (now.failed.isDefined) log.info("The status of the query can be written again. file={}", place.name)
      } catch {
        case Caught(failure) =>
          val why =
            s"The status of the query can't be written to ${place.name}, and the query continues without it. Look at " +
              s"`statusPath`. failure=$failure"
          if (!state.getAndUpdate(_.lost(why, clock.instant())).failed.exists(_._1 == why)) warn(why)
      }
  }

  private def warnUnwritten(): Unit =
    warn(s"The query has ended without its last status: the file system of `statusPath` hangs. file=${place.name}")

  private def warn(text: String): Unit = log.warn("{} {}", Condition.InvalidOption: Any, text: Any)

  // Once nothing more is written, later work is dropped.
  private def later(millis: Long)(body: => Unit): Unit =
    try {
      val task: Runnable = () => body
      thread.schedule(task, millis, TimeUnit.MILLISECONDS): Unit
    } catch { case _: RejectedExecutionException => () }
}

private object StatusKeeper {
  // How often the status is looked at, in milliseconds. Looking may take one part in 20 of the time.
  private val Round = 1000L
  private val Share = 20L

  // How long the end of a query waits for its last status, and for the reason of its end, in milliseconds.
  private val Wait     = 2000L
  private val Patience = 5000L

  // How long the end of the process waits for that reason.
  private val Reason = 500L

  /** What a file system may throw, also because a class of its own is missing. */
  private object Caught {
    def unapply(failure: Throwable): Option[Throwable] =
      Some(failure).filter(it => NonFatal(it) || it.isInstanceOf[LinkageError])
  }
}
