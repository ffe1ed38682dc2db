package io.github.dynamickafka.spark.kafka

import java.net.{InetAddress, ServerSocket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.time.Duration

import scala.util.Using

import org.apache.kafka.clients.admin.Admin

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

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
      ) ++ more),
      "client-1",
      Duration.ofSeconds(10)
    )
    try intercept[DynamicKafkaException](ClientOpening.open(ClusterId("eu"), properties)(Admin.create(properties)))
    finally System.clearProperty(Allowed): Unit
  }

  /** What opening a client comes to where this is what the token endpoint answers; nothing if it is silent. */
  private def answering(answer: Option[String], more: (String, String)*): DynamicKafkaException =
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { server =>
      val thread = new Thread(() =>
        try
          while (true) {
            val socket = server.accept()
            answer.foreach { text =>
              socket.getInputStream.read(new Array[Byte](4096)): Unit
              socket.getOutputStream.write(text.getBytes(US_ASCII))
              socket.close()
            }
          }
        catch { case _: java.io.IOException => () }
      )
      thread.setDaemon(true)
      thread.start()
      opening(s"http://127.0.0.1:${server.getLocalPort}/token", allowed = true, more: _*)
    }

  private def isLogin(failure: DynamicKafkaException, told: String): Unit = {
    assertEquals(failure.condition, Condition.AuthenticationFailed: Condition, failure.detail)
    assert(failure.detail.contains("cluster eu") && failure.detail.contains(told), failure.detail)
    assert(!failure.detail.contains("s3cret") && failure.getCause == null, failure.detail)
  }

  test("a token endpoint that refuses is a login that failed, told with its status and not with its text") {
    val body = """{"error":"invalid_client","error_description":"not s3cret"}"""
    isLogin(
      answering(Some(
        s"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n$body"
      )),
      "HTTP status 401"
    )
  }

  test("a token endpoint that is not there is a login that failed, told by the kind of failure") {
    isLogin(opening("http://127.0.0.1:1/token", allowed = true), "java.net.ConnectException")
  }

  test("a token endpoint that answers with something else is a login that failed") {
    isLogin(answering(Some("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")), "JsonParseException")
  }

  test("a token endpoint that hangs is given up") {
    isLogin(answering(None, "sasl.login.read.timeout.ms" -> "200"), "java.net.SocketTimeoutException")
  }

  test("Kafka waits for no token endpoint for ever, unless the user says so") {
    def limits(more: (String, String)*) =
      ClientProperties.forAdmin(new ConnectionSettings(Map("sasl.mechanism" -> "OAUTHBEARER") ++ more), "client-1")
    Seq("sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms").foreach { limit =>
      assertEquals(limits().get(limit), "10000": AnyRef)
      assertEquals(limits(limit -> "7").get(limit), "7": AnyRef)
    }
  }

  test("a token endpoint that the JVM does not allow is told with the property that does") {
    val failure = opening("http://127.0.0.1:1/token", allowed = false)
    assertEquals(failure.condition, Condition.InvalidMetadata: Condition)
    assert(failure.detail.contains("property sasl.oauthbearer.token.endpoint.url"), failure.detail)
    assert(failure.detail.contains(s"system property $Allowed"), failure.detail)
  }

  test("what failed otherwise is no login") {
    assertEquals(FailedLogin.in(Seq(new IllegalStateException("HTTP response code: 401"))), None)
  }
}
