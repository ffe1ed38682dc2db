package io.github.dynamickafka.spark.metadata

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException, SynchronousQueue, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import py4j.{GatewayServer, PythonClient}

/** Makes the calls on threads of its own, as many as there are calls at once. A thread ends when it had none for a while,
  * and says so.
  *
  * Py4J opens a connection for each thread of the JVM that asks Python, and Python a thread to serve it, and neither is
  * closed when the asking thread has ended. So whoever polls on threads of any kind asks through these, and each closes
  * its connection when it ends.
  *
  * As with the call itself, an interrupt does not end the wait for the answer; it is kept for afterwards.
  *
  * @param ended called by each thread, at its end
  * @param idle how long a thread waits for a next call
  */
final private class PythonThreads(call: JsonCall, ended: () => Unit, idle: Duration = PythonThreads.Idle)
    extends JsonCall {
  private val threads = new ThreadPoolExecutor(
    0,
    Int.MaxValue,
    idle.toMillis,
    TimeUnit.MILLISECONDS,
    new SynchronousQueue[Runnable],
    body =>
      PythonThreads.daemon(() =>
        try body.run()
        finally ended()
      )
  )

  override def call(request: String): String =
    try CompletableFuture.supplyAsync(() => call.call(request), threads).join()
    catch { case e: CompletionException => throw e.getCause }
}

private object PythonThreads {
  // Shorter than the time in which a query that was stopped leaves nothing behind.
  private val Idle = Duration.ofSeconds(5)

  private val number = new AtomicInteger

  /** Closes the connection over which the current thread asked Python, and so the thread that served it there. */
  def disconnected(python: GatewayServer): () => Unit = () =>
    python.getCallbackClient match {
      case client: PythonClient => Option(client.getPerThreadConnection).foreach(_.shutdown())
      case _                    => () // The kind that shares connections between threads, and closes them by itself.
    }

  private def daemon(body: Runnable): Thread = {
    val thread = new Thread(body, s"dynamic-kafka-python-${number.incrementAndGet()}")
    thread.setDaemon(true)
    thread
  }
}
