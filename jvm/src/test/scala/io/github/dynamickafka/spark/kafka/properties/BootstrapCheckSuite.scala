package io.github.dynamickafka.spark.kafka.properties

import java.net.{InetAddress, ServerSocket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.time.Duration

import scala.util.Using

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Recognises what answers at an address. Leaves out real brokers: each test on those begins with this check. */
class BootstrapCheckSuite extends munit.FunSuite {
  private val cluster = ClusterId("eu")

  /** @param answer to any request; then the connection is closed */
  private def said(answer: Array[Byte], protocol: Option[String] = None): Option[String] =
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { server =>
      val answering = new Thread(() =>
        try Using.resource(server.accept()) { link =>
            link.getInputStream.read(): Unit
            link.getOutputStream.write(answer)
          }
        catch { case _: java.io.IOException => () }
      )
      answering.start()
      check(s"localhost:${server.getLocalPort}", protocol)
    }

  private def check(addresses: String, protocol: Option[String]): Option[String] = {
    val properties = Map("bootstrap.servers" -> addresses) ++ protocol.map("security.protocol" -> _)
    try { BootstrapCheck.check(cluster, new ConnectionSettings(properties), Duration.ofSeconds(10)); None }
    catch {
      case e: DynamicKafkaException =>
        assertEquals(e.condition, Condition.ClusterUnreachable: Condition)
        assert(e.detail.contains("cluster eu") && e.detail.contains(addresses), e.detail)
        Some(e.detail)
    }
  }

  private val web   = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII)
  private val alert = Array[Byte](0x15, 3, 3, 0, 2, 2, 50)

  test("a web server is reported as what it is") {
    assert(said(web).exists(_.contains("as that of a web server")))
    assert(said(web, Some(" sasl_plaintext ")).exists(_.contains("as that of a web server")))
  }

  test("a listener with TLS is reported with the properties that fit it") {
    assert(said(alert).exists(text => text.contains("TLS") && text.contains("SASL_SSL")))
  }

  test("anything else is reported with its first bytes") {
    assert(said("220 mail".getBytes(US_ASCII)).exists(_.contains("0x32323020")))
  }

  test("an address that is none is left to Kafka's client to refuse") {
    assertEquals(check("localhost:99999", protocol = None), None)
  }

  test("what answers as a broker does, closes, or is not there is left to Kafka's client") {
    assertEquals(said(Array[Byte](0, 0, 2, 1, 0, 0, 0, 1)), None)
    assertEquals(said(Array.emptyByteArray), None)
    val free = Using.resource(new ServerSocket(0))(_.getLocalPort)
    assertEquals(check(s"localhost:$free", None), None)
    assertEquals(check("no address", None), None)
  }

  test("what is silent does not hold up the client for long") {
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val address = s"localhost:${silent.getLocalPort}"
      val began   = System.nanoTime
      assertEquals(check(Seq.fill(10)(address).mkString(","), None), None)
      assert(System.nanoTime - began < 2e9)
    }
  }

  test("where TLS is asked for, nothing is said in plain text") {
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { server =>
      server.setSoTimeout(100)
      assertEquals(check(s"localhost:${server.getLocalPort}", Some("SSL")), None)
      intercept[java.net.SocketTimeoutException](server.accept()): Unit
    }
  }
}
