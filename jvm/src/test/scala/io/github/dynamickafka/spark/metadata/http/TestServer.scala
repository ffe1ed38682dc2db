package io.github.dynamickafka.spark.metadata.http

import java.io.IOException
import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CountDownLatch, Executors, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import javax.net.ssl.SSLContext

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange => Exchange, HttpsConfigurator, HttpServer, HttpsServer}

/** One request as it came. Header names are in lower case. */
final case class Asked(method: String, target: String, headers: Map[String, String], body: String)

/** A web server that answers as a test wants, and keeps what it was asked. */
final class TestServer(tls: Option[SSLContext] = None) extends AutoCloseable {
  import TestServer._

  private val asked     = new LinkedBlockingQueue[Asked]
  private val behaviour = new AtomicReference[Behaviour](reply(500, ""))
  private val released  = new CountDownLatch(1)
  private val threads   = Executors.newCachedThreadPool()
  private val server    = started()

  /** The next requests: waits for them. */
  def take(count: Int = 1): Vector[Asked] = Vector.fill(count)(
    Option(asked.poll(10, TimeUnit.SECONDS)).getOrElse(throw new AssertionError("no request came within 10 s"))
  )

  /** All that came and was not taken yet. */
  def taken(): Vector[Asked] = Iterator.continually(Option(asked.poll())).takeWhile(_.isDefined).flatten.toVector

  def untaken: Int = asked.size

  def origin: String = s"${if (tls.isEmpty) "http" else "https"}://127.0.0.1:${server.getAddress.getPort}"

  def url: String = s"$origin/streams"

  /** From now on, to whatever is asked. */
  def answers(now: Behaviour): Unit = behaviour.set(now)

  /** Says nothing more, until the server is closed. */
  def silence(exchange: Exchange): Unit = {
    released.await(30, TimeUnit.SECONDS)
    exchange.close()
  }

  override def close(): Unit = {
    released.countDown()
    server.stop(0)
    threads.shutdownNow(): Unit
  }

  private def started(): HttpServer = {
    val address = new InetSocketAddress("127.0.0.1", 0)
    val server  = tls.fold(HttpServer.create(address, 0)) { context =>
      val secure = HttpsServer.create(address, 0)
      secure.setHttpsConfigurator(new HttpsConfigurator(context))
      secure
    }
    server.setExecutor(threads)
    server.createContext("/", exchange => handle(exchange))
    server.start()
    server
  }

  private def handle(exchange: Exchange): Unit = {
    val headers = exchange.getRequestHeaders.asScala.map { case (name, values) => name.toLowerCase -> values.get(0) }
    val body    = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
    // Before the test sees the request: it may set the answer to the next one at once.
    val answer = behaviour.get
    asked.add(Asked(exchange.getRequestMethod, exchange.getRequestURI.toString, headers.toMap, body))
    // A client that has heard enough closes the connection.
    try answer(exchange)
    catch { case _: IOException => exchange.close() }
  }
}

object TestServer {
  type Behaviour = Exchange => Unit

  val Json = "Content-Type" -> "application/json"

  def reply(status: Int, body: String, headers: (String, String)*): Behaviour =
    replyBytes(status, body.getBytes(UTF_8), headers: _*)

  def replyBytes(status: Int, body: Array[Byte], headers: (String, String)*): Behaviour = exchange => {
    headers.foreach { case (name, value) => exchange.getResponseHeaders.add(name, value) }
    exchange.sendResponseHeaders(status, if (body.isEmpty) -1 else body.length.toLong)
    if (body.nonEmpty) exchange.getResponseBody.write(body)
    exchange.close()
  }

  /** Begins an answer 200 that says it has `length` bytes (0: does not say), writes these, and does then what it likes. */
  def begun(length: Long, bytes: String)(next: Exchange => Unit): Behaviour = exchange => {
    exchange.getResponseHeaders.add(Json._1, Json._2)
    exchange.sendResponseHeaders(200, length)
    exchange.getResponseBody.write(bytes.getBytes(UTF_8))
    exchange.getResponseBody.flush()
    next(exchange)
  }

  /** A stream `orders` on a cluster with this topic. */
  def streams(version: Long, topic: String = "orders", more: String = ""): String =
    s"""{"version": $version, "streams": [{"streamId": "orders", "clusterMetadataList": [
       |  {"clusterId": "eu-1", "bootstrapServers": "b:9092", "topics": ["$topic"]$more}]}]}""".stripMargin

  def ok(body: String, tag: String = ""): Behaviour =
    reply(200, body, Json +: Seq(tag).filter(_.nonEmpty).map("ETag" -> _): _*)
}
