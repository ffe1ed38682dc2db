package io.github.dynamickafka.spark.kafka.failure

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.US_ASCII
import java.time.Duration
import java.util.concurrent.{CountDownLatch, Executors}
import javax.security.auth.login.LoginException

import com.sun.net.httpserver.{HttpHandler, HttpServer}
import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.client.ClientOpening
import io.github.dynamickafka.spark.kafka.properties.ClientProperties
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Uses token endpoints over HTTP, and for Kerberos only an exception. `test_tokens.py` covers brokers that get tokens.
  */
class FailedLoginSuite extends munit.FunSuite {
  private val Allowed = "org.apache.kafka.sasl.oauthbearer.allowed.urls"
  private val Kafka   = "org.apache.kafka.common.security.oauthbearer"

  private def opening(endpoint: String, allowed: Boolean, more: (String, String)*): DynamicKafkaException = {
    if (allowed) System.setProperty(Allowed, endpoint) else System.clearProperty(Allowed)
    val properties = ClientProperties.forAdmin(
      new ConnectionSettings(Map(
        "bootstrap.servers"                                 -> "localhost:1",
        "security.protocol"                                 -> "SASL_PLAINTEXT",
        "sasl.mechanism"                                    -> "OAUTHBEARER",
        "sasl.jaas.config"                                  -> s"$Kafka.OAuthBearerLoginModule required;",
        "sasl.login.callback.handler.class"                 -> s"$Kafka.OAuthBearerLoginCallbackHandler",
        "sasl.oauthbearer.token.endpoint.url"               -> endpoint,
        "sasl.oauthbearer.client.credentials.client.id"     -> "reader",
        "sasl.oauthbearer.client.credentials.client.secret" -> "s3cret",
        "sasl.login.retry.backoff.max.ms"                   -> "100"
      ).removedAll(
        Option.when(more.exists(_._1 == "sasl.login.retry.backoff.ms"))("sasl.login.retry.backoff.max.ms")
      ) ++ more),
      "client-1",
      Duration.ofSeconds(10)
    )
    try intercept[DynamicKafkaException](ClientOpening.open(ClusterId("eu"), properties)(Admin.create(properties)))
    finally System.clearProperty(Allowed): Unit
  }

  /** The result of opening a client if the token endpoint does this. */
  private def against(handler: HttpHandler, more: (String, String)*): DynamicKafkaException = {
    val server  = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    val threads = Executors.newCachedThreadPool()
    server.setExecutor(threads)
    server.createContext("/token", handler)
    server.start()
    try opening(s"http://127.0.0.1:${server.getAddress.getPort}/token", allowed = true, more: _*)
    finally {
      server.stop(0)
      threads.shutdownNow(): Unit
    }
  }

  private def answering(status: Int, body: String, more: (String, String)*): DynamicKafkaException = against(
    { exchange =>
      exchange.getRequestBody.readAllBytes(): Unit
      val bytes = body.getBytes(US_ASCII)
      exchange.sendResponseHeaders(status, bytes.length.toLong)
      exchange.getResponseBody.write(bytes)
      exchange.close()
    },
    more: _*
  )

  private def isLogin(failure: DynamicKafkaException, said: String): Unit = {
    assertEquals(failure.condition, Condition.AuthenticationFailed: Condition, failure.detail)
    assert(failure.detail.contains("cluster eu") && failure.detail.contains(said), failure.detail)
    assert(!failure.detail.contains("s3cret") && failure.getCause == null, failure.detail)
  }

  test("a token endpoint that refuses is a login that failed, reported with its status and not with its text") {
    isLogin(answering(401, """{"error":"invalid_client","error_description":"not s3cret"}"""), "HTTP status 401")
  }

  test("what a token endpoint says of its own failures is not shown") {
    val failure = answering(400, "java.lang.s3cretException: x\nCaused by: s3cret.of.Users: s3cret")
    isLogin(failure, "HTTP status 400")
  }

  test("a token endpoint that is not there is a login that failed, reported with the kind of failure") {
    isLogin(opening("http://127.0.0.1:1/token", allowed = true), "java.net.ConnectException")
  }

  test("a token endpoint that answers with something else is a login that failed") {
    isLogin(answering(200, "hello"), "JsonParseException")
  }

  test("a token endpoint that hangs is given up, within the limit of the question") {
    val limit = "sasl.login.read.timeout.ms" -> "200"
    isLogin(against(_ => new CountDownLatch(1).await(), limit), "java.net.SocketTimeoutException")
  }

  test("Kafka waits for no token endpoint for ever, nor longer than for its cluster, unless the user says so") {
    val limits = Seq("sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms", "sasl.login.retry.backoff.max.ms")
    val connection = new ConnectionSettings(Map("sasl.mechanism" -> "OAUTHBEARER"))
    val own        = new ConnectionSettings(Map("sasl.mechanism" -> "OAUTHBEARER") ++ limits.map(_ -> "7"))
    def seconds(limit: Int, of: ConnectionSettings): Seq[AnyRef] =
      limits.map(ClientProperties.forAdmin(of, "client-1", Duration.ofSeconds(limit.toLong)).get)
    assertEquals(limits.map(ClientProperties.forConsumer(connection, "g", "c").get), Seq.fill[AnyRef](3)("10000"))
    assertEquals(seconds(60, connection), Seq.fill[AnyRef](3)("10000"))
    assertEquals(seconds(8, connection), Seq.fill[AnyRef](3)("2000"))
    assertEquals(seconds(2, connection), Seq.fill[AnyRef](3)("1000"))
    assertEquals(seconds(60, own), Seq.fill[AnyRef](3)("7"))
  }

  test("how long the user pauses between two tries may be longer than ours") {
    // Refused at once, for Kafka would try again for ten seconds where nobody answers.
    isLogin(answering(401, "{}", "sasl.login.retry.backoff.ms" -> "3000"), "HTTP status 401")
  }

  test("a token endpoint that the JVM does not allow is reported with the property that would allow it") {
    val failure = opening("http://127.0.0.1:1/token", allowed = false)
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("property sasl.oauthbearer.token.endpoint.url"), failure.detail)
    assert(failure.detail.contains(s"system property $Allowed"), failure.detail)
  }

  test("what failed otherwise is no login, and the cause of a failed login is reported by its kind") {
    assertEquals(FailedLogin.in(Seq(new IllegalStateException("response code 401"))), None)
    val kerberos = new LoginException("s3cret").initCause(new java.net.SocketTimeoutException("s3cret"))
    assertEquals(
      FailedLogin.in(Seq(new IllegalStateException, kerberos, kerberos.getCause)),
      Some("javax.security.auth.login.LoginException, java.net.SocketTimeoutException")
    )
  }
}
