package io.github.dynamickafka.spark.kafka.properties

import java.io.{DataInputStream, DataOutputStream, IOException}
import java.net.{InetSocketAddress, Proxy, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.time.Duration

import scala.util.Using

import org.apache.kafka.common.utils.Utils

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Say}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Checks what answers at the addresses of a cluster, before a client of the driver is opened.
  *
  * Kafka's client reads the first four bytes of any answer as a size, and allocates so much: 1.2 GB for the "HTTP" of a
  * web server, 350 MB for the alert of a TLS port. That ends the client's thread, or worse. Such a wrong address is a
  * common mistake, so it is reported by name instead.
  */
private[kafka] object BootstrapCheck {

  /** Returns unless something answers that is not Kafka. An address that does not answer soon is left to Kafka's client.
    *
    * @param limit of the question that the client is opened for; the check takes at most a quarter of it
    * @throws DynamicKafkaException `CLUSTER_UNREACHABLE`
    */
  def check(cluster: ClusterId, connection: ConnectionSettings, limit: Duration): Unit = {
    val end      = System.nanoTime + (limit.toMillis / 4 min Patience) * 1000000
    def left     = ((end - System.nanoTime) / 1000000).toInt
    val protocol = connection.properties.getOrElse("security.protocol", "PLAINTEXT").trim.toUpperCase
    if (protocol.endsWith("PLAINTEXT"))
      for {
        (host, port) <- BootstrapList.addresses(connection.bootstrapServers).iterator.takeWhile(_ => left > 0)
        who          <- stranger(host, port, left)
      } throw DynamicKafkaException(
        Condition.ClusterUnreachable,
        say"What answers at ${Utils.formatAddress(host, port)}, an address of cluster $cluster, $who. Correct the address in " +
          "the metadata."
      )
  }

  // What answers instead of a broker; none if it may be a broker.
  private def stranger(host: String, port: Int, patience: Int): Option[String] =
    // Kafka's client uses no proxy either.
    try Using.resource(new Socket(Proxy.NO_PROXY)) { socket =>
        // 0 would mean for ever.
        socket.connect(new InetSocketAddress(host, port), patience.max(1))
        socket.setSoTimeout(patience.max(1))
        new DataOutputStream(socket.getOutputStream).write(Question)
        judge(new DataInputStream(socket.getInputStream).readInt())
      }
    catch { case _: IOException => None }

  private def judge(size: Int): Option[String] =
    // The list of requests that a broker knows has a few hundred bytes.
    if (size > 0 && size < (1 << 20)) None
    else if (size == 0x48545450) Some("is not a Kafka broker: its answer begins with HTTP, as that of a web server")
    // An alert of TLS.
    else if ((size >>> 16) == 0x1503)
      Some("expects TLS, but security.protocol is set to no TLS: use SSL or SASL_SSL")
    else Some(f"is not a Kafka broker: its answer begins with the bytes 0x$size%08x")

  // In milliseconds, for all addresses together. An address that does not answer does no harm; those after it are then
  // not checked.
  private val Patience = 500L

  /** Asks which requests the broker knows, in the oldest form. Every broker answers it, before a login too. */
  private val Question: Array[Byte] = {
    val client = "dynamic-kafka-greeting".getBytes(US_ASCII)
    // The request's key 18 and version 0, two bytes each; a number of ours; the client's name after its length.
    val head = Array[Byte](0, 18, 0, 0, 0, 0, 0, 1, 0, client.length.toByte)
    Array[Byte](0, 0, 0, (head.length + client.length).toByte) ++ head ++ client
  }
}
