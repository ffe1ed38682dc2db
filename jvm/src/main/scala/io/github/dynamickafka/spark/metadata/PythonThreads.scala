package io.github.dynamickafka.spark.metadata

import java.time.Duration
import java.util.concurrent.{CompletableFuture, CompletionException}

import py4j.{GatewayServer, PythonClient}

import io.github.dynamickafka.spark.threads.Daemons

/** Runs the calls on its own threads, as many as there are calls at once. A thread ends after a while without a call.
  *
  * Py4J opens a connection for each thread of the JVM that calls Python, and Python starts a thread to serve it.
  * Neither ends with the calling thread. So all calls to Python go through these threads, and each of them closes its
  * connection when it ends.
  *
  * An interrupt does not end the wait for an answer. The thread stays interrupted afterwards.
  *
  * @param ended called by each thread, at its end
  * @param idle how long a thread waits for a next call
  */
final private class PythonThreads(call: JsonCall, ended: () => Unit, idle: Duration = PythonThreads.Idle)
    extends JsonCall {
  private val threads = Daemons.pool("dynamic-kafka-python-calls", idle, ended)

  override def call(request: String): String =
    try CompletableFuture.supplyAsync(() => call.call(request), threads).join()
    catch { case e: CompletionException => throw e.getCause }
}

private object PythonThreads {
  // Shorter than the 10 s within which all threads of a stopped query must end.
  private val Idle = Duration.ofSeconds(5)

  /** Closes the connection of the current thread to Python. That also ends the thread in Python which served it. */
  def disconnected(python: GatewayServer): () => Unit = () =>
    python.getCallbackClient match {
      case client: PythonClient => Option(client.getPerThreadConnection).foreach(_.shutdown())
      case _                    => () // Another kind of client shares its connections and closes them itself.
    }
}
