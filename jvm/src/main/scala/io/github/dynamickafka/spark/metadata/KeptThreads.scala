package io.github.dynamickafka.spark.metadata

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, CompletionException, SynchronousQueue, ThreadPoolExecutor, TimeUnit}

/** Makes the calls on threads that are used again and never end: as many as there were calls at once.
  *
  * Py4J opens a connection for each thread of the JVM that asks Python, and Python a thread to serve it, and neither is
  * closed when the asking thread has ended. So a thread for each call would cost a socket and a thread of Python each.
  *
  * As with the call itself, an interrupt does not end the wait for the answer; it is kept for afterwards.
  */
final private class KeptThreads(call: JsonCall) extends JsonCall {
  override def call(request: String): String =
    try CompletableFuture.supplyAsync(() => call.call(request), KeptThreads.all).join()
    catch { case e: CompletionException => throw e.getCause }
}

private object KeptThreads {
  private val number = new AtomicInteger
  // Of the JVM, not of a query: the next one asks on the same threads.
  private lazy val all = new ThreadPoolExecutor(
    0,
    Int.MaxValue,
    Long.MaxValue,
    TimeUnit.NANOSECONDS,
    new SynchronousQueue[Runnable],
    body => {
      val thread = new Thread(body, s"dynamic-kafka-python-${number.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  )
}
