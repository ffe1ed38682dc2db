package io.github.dynamickafka.spark.metadata.http

import java.time.Clock
import java.util.concurrent.{CompletableFuture, Executor, RejectedExecutionException, TimeoutException, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.status.{QueryIdentity, QueryStatus, QueryStatusJson}

/** Sends a query's status to the service when it changes, one report at a time, on its own threads. Best effort: a
  * failure is a line in the log, and the newest status is sent later.
  *
  * @param deliver sends a text, and throws if it was not accepted
  */
final private[http] class StatusReports(
    query: QueryIdentity,
    deliver: String => Unit,
    threads: Executor,
    clock: Clock
) extends AutoCloseable {
  private val log   = QueryLog(Some(query.label)).of(classOf[HttpMetadataService])
  private val state = new AtomicReference(StatusReportSchedule(QueryStatus(query)))
  private val over  = new CompletableFuture[Unit]

  /** Changes the status. Never waits. */
  def now(change: QueryStatus => QueryStatus): Unit = {
    state.updateAndGet(before => before.copy(status = change(before.status)))
    report()
  }

  /** Sends the status, if it is due. */
  def report(): Unit = {
    val now = clock.instant()
    if (state.getAndUpdate(known => if (known.due(now)) known.begun else known).due(now))
      try threads.execute(() => send())
      catch { case _: RejectedExecutionException => () } // closed meanwhile
  }

  private def send(): Unit = {
    val before = state.get
    val status = before.status
    val began  = clock.instant()
    try {
      deliver(QueryStatusJson.write(status, began))
      state.updateAndGet(_.arrived(status, began))
      if (before.failed.isDefined) log.info("The metadata service takes the status of the query again.")
      // The status may have changed meanwhile.
      report()
    } catch {
      case e: Throwable =>
        state.updateAndGet(_.lost(clock.instant()))
        if (before.failed.isEmpty)
          log.warn(
            s"${Condition.MetadataUnavailable} The metadata service does not take the status of the query, which continues " +
              s"without it. failure=${summary(e)}"
          )
        // The last status may be waiting.
        if (!before.ended) report()
    } finally if (before.ended) over.complete(()): Unit
  }

  private def summary(e: Throwable): String = e match {
    case ours: DynamicKafkaException => ours.summary
    case other                       => other.getMessage
  }

  /** Sends the last status, after one that is being sent, and waits up to one second for it: the stop of a query must not
    * be delayed.
    */
  override def close(): Unit = {
    val known = state.updateAndGet(before => before.copy(status = before.status.stopped))
    if (known.said) {
      report()
      try over.get(1, TimeUnit.SECONDS)
      catch { case _: TimeoutException => () } // it is best effort
    }
  }
}
