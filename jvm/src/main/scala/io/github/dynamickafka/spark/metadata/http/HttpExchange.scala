package io.github.dynamickafka.spark.metadata.http

import java.net.URI
import java.net.http.{HttpRequest, HttpResponse}
import java.net.http.HttpRequest.BodyPublishers
import java.time.Duration
import java.util.concurrent.{CancellationException, CompletableFuture, ConcurrentHashMap, ExecutionException}
import java.util.concurrent.{TimeoutException, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.annotation.tailrec
import scala.jdk.OptionConverters._
import scala.util.Try

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** A request to the service, at its own origin. */
sealed private[http] trait Ask extends Product with Serializable {
  def uri: URI
}

private[http] object Ask {

  /** The streams, unless they are those with this tag. */
  final case class Streams(uri: URI, unless: Option[String]) extends Ask

  /** Sends a status. */
  final case class Status(uri: URI, json: String) extends Ask
}

/** Requests of one source to its service, each with one time limit. Redirects are followed only within the origin: the token must
  * not reach another host.
  *
  * @param agent the value of the header `User-Agent`
  */
final private[http] class HttpExchange(
    clients: HttpClients,
    token: Option[BearerToken],
    failures: HttpFailures,
    agent: String
) extends AutoCloseable {
  import HttpExchange._

  private val open   = ConcurrentHashMap.newKeySet[CompletableFuture[_]]()
  private val closed = new AtomicBoolean(false)

  /** The answer, with any status but a redirect.
    *
    * @throws DynamicKafkaException `METADATA_UNAVAILABLE` if there is none in time
    * @throws InterruptedException if the caller is stopped meanwhile
    */
  def send(ask: Ask, limit: Duration): HttpResponse[Array[Byte]] = {
    val end = System.nanoTime + limit.toNanos

    @tailrec def follow(uri: URI, hops: Int): HttpResponse[Array[Byte]] = {
      val answer = once(ask, uri, end, limit)
      if (!Redirects(answer.statusCode)) answer
      else if (hops == 0) throw failures.unavailable(s"redirects more than $Hops times", Address)
      else follow(target(ask, uri, answer), hops - 1)
    }
    follow(ask.uri, Hops)
  }

  private def once(ask: Ask, uri: URI, end: Long, limit: Duration): HttpResponse[Array[Byte]] = {
    if (closed.get) throw left
    val handler = LimitedBody.handler(MaxBytes, failures.tooLarge(MaxBytes))
    val call    = clients.current().sendAsync(request(ask, uri), handler)
    open.add(call)
    try {
      // If it was closed just now, nobody else ends this call.
      if (closed.get) call.cancel(true)
      call.get((end - System.nanoTime).max(0L), TimeUnit.NANOSECONDS)
    } catch {
      case _: TimeoutException      => throw failures.slow(limit)
      case _: CancellationException => throw left
      // A cancelled call may also end with an error of its connection.
      case e: ExecutionException => throw if (closed.get) left else failures.of(ours(e).getOrElse(e.getCause))
    } finally {
      open.remove(call)
      call.cancel(true): Unit
    }
  }

  private def left = failures.unavailable("was left", "The query ends.")

  // The client wraps the failure of a body subscriber.
  private def ours(thrown: Throwable): Option[DynamicKafkaException] =
    Iterator.iterate(thrown)(_.getCause).takeWhile(_ != null).take(10)
      .collectFirst { case known: DynamicKafkaException => known }

  private def request(ask: Ask, uri: URI): HttpRequest = {
    val builder = HttpRequest.newBuilder(uri).header("Accept", Json).header("User-Agent", agent)
    token.foreach(known => builder.header("Authorization", known.header()))
    ask match {
      case Ask.Streams(_, unless) =>
        unless.foreach(builder.header("If-None-Match", _))
        builder.GET().build()
      case Ask.Status(_, json) =>
        builder.header("Content-Type", Json).POST(BodyPublishers.ofString(json)).build()
    }
  }

  private def target(ask: Ask, from: URI, answer: HttpResponse[_]): URI = {
    val named = answer.headers.firstValue("Location").toScala.flatMap(text => Try(from.resolve(text.trim)).toOption)
    val to    = named.filter(uri => uri.getHost != null && Origin.isWeb(uri))
      .getOrElse(throw failures.unavailable("redirects without a valid Location", Address))
    if (Origin.of(to) != Origin.of(from)) throw failures.unavailable(
      s"redirects to another origin, ${Origin.of(to)}, which is refused: the token must not reach another host",
      Address
    )
    if (ask.isInstanceOf[Ask.Status] && !KeepMethod(answer.statusCode))
      throw failures.unavailable("redirects a POST by another status than 307 or 308", Address)
    to
  }

  /** Ends all open requests. */
  override def close(): Unit = {
    closed.set(true)
    open.forEach(call => call.cancel(true): Unit)
  }
}

private[http] object HttpExchange {

  /** The most bytes of an answer: a wrong address may send without end. */
  val MaxBytes: Int = 16 * 1024 * 1024

  private val Json       = "application/json"
  private val Redirects  = Set(301, 302, 303, 307, 308)
  private val KeepMethod = Set(307, 308)
  private val Hops       = 3
  private val Address    = "Put the address that answers into metadataService.url."
}
