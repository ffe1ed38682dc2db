package io.github.dynamickafka.spark.kafka

import java.io.{DataInputStream, DataOutputStream, IOException}
import java.net.{InetSocketAddress, Proxy, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.time.Duration

import scala.util.Using
import scala.util.matching.Regex

import org.slf4j.LoggerFactory

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A look at who answers at the addresses of a cluster, before a client of the driver's is opened.
  *
  * Kafka's client takes the first four bytes of whatever answers for a size, and allocates it: 1.2 GB for the "HTTP" of a
  * web server, 350 MB for the alert of a port with TLS. That ends the client's thread, or worse. Such a wrong address is
  * a common slip, so it gets a name instead.
  */
private[kafka] object Greeting {
  private val log = LoggerFactory.getLogger(getClass)

  /** Returns if nobody was met who is not Kafka; whoever does not answer soon is Kafka's client's matter.
    *
    * @param limit of what the client is opened for; this takes no more than a quarter of it
    * @throws DynamicKafkaException `CLUSTER_UNREACHABLE`
    */
  def check(cluster: ClusterId, connection: ConnectionSettings, limit: Duration): Unit = {
    val patience = limit.toMillis / 4 min Patience
    val end      = System.nanoTime + patience * 1000000
    def left     = ((end - System.nanoTime) / 1000000).toInt
    val protocol = connection.properties.getOrElse("security.protocol", "PLAINTEXT").trim.toUpperCase
    if (protocol.endsWith("PLAINTEXT"))
      connection.properties.getOrElse("bootstrap.servers", "").split(',').iterator.map(_.trim).takeWhile(_ =>
        left > 0
      ).foreach {
        case address @ Address(host, port) => stranger(host, port.toInt, left).foreach { who =>
            throw DynamicKafkaException(
              Condition.ClusterUnreachable,
              s"What answers at $address, an address of cluster $cluster, $who. Correct it in the metadata."
            )
          }
        case _ => ()
      }
  }

  // What is there instead of a broker; none if a broker may be.
  private def stranger(host: String, port: Int, patience: Int): Option[String] =
    // Kafka's client knows no proxy either.
    try Using.resource(new Socket(Proxy.NO_PROXY)) { socket =>
        // Nought would mean for ever.
        socket.connect(new InetSocketAddress(host, port), patience.max(1))
        socket.setSoTimeout(patience.max(1))
        new DataOutputStream(socket.getOutputStream).write(Question)
        judge(new DataInputStream(socket.getInputStream).readInt())
      }
    catch {
      // What is no address either is left to Kafka's client to refuse.
      case e @ (_: IOException | _: IllegalArgumentException) =>
        log.debug(s"no greeting address=$host:$port error=${e.getClass.getName}")
        None
    }

  private def judge(size: Int): Option[String] =
    if (size > 0 && size < LargestAnswer) None
    else if (size == Http) Some("is no Kafka broker: it begins with HTTP, as web servers do")
    else if ((size >>> 16) == TlsAlert)
      Some("speaks TLS, and security.protocol says that there is none: SSL or SASL_SSL would")
    else Some(f"is no Kafka broker: it begins with the bytes 0x$size%08x")

  private val Address: Regex = """(?:\w+://)?\[?([^\[\]]+)\]?:(\d{1,5})""".r

  // Milliseconds for all addresses together. One that does not answer does no harm, and leaves the others unseen.
  private val Patience = 500L

  private val Http     = 0x48545450
  private val TlsAlert = 0x1503

  // A broker's whole list of what it can do has some hundred bytes.
  private val LargestAnswer = 1 << 20

  /** Which requests do you know? Asked in its oldest form, which each broker answers, before a login too. */
  private val Question: Array[Byte] = {
    val client = "dynamic-kafka-greeting".getBytes(US_ASCII)
    // Key 18 and version 0, two bytes each; a number of ours; the client's name behind its length.
    val head = Array[Byte](0, 18, 0, 0, 0, 0, 0, 1, 0, client.length.toByte)
    Array[Byte](0, 0, 0, (head.length + client.length).toByte) ++ head ++ client
  }
}
