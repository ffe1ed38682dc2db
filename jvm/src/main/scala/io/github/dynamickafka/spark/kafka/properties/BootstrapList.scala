package io.github.dynamickafka.spark.kafka.properties

import org.apache.kafka.common.utils.Utils

/** The addresses in `bootstrap.servers`. */
private[spark] object BootstrapList {

  /** Those that Kafka's client can't read: each needs a host and a port, such as `b1:9092`. */
  def unreadable(servers: String): Vector[String] =
    texts(servers).filterNot(address => address.isEmpty || readable(address))

  /** The others, as host and port alone: whatever else is written there is not shown. */
  def addresses(servers: String): Vector[(String, Int)] =
    texts(servers).filter(readable).map(address => (Utils.getHost(address), Utils.getPort(address).intValue))

  /** One of these alone, counted round. */
  def one(servers: String, number: Int): Option[String] = {
    val all = addresses(servers)
    Option.when(all.nonEmpty)(all(number % all.size)).map { case (host, port) => Utils.formatAddress(host, port) }
  }

  private def texts(servers: String): Vector[String] = servers.split(',').toVector.map(_.trim)

  private def readable(address: String): Boolean =
    Option(Utils.getHost(address)).exists(_.nonEmpty) && hasPort(address)

  private def hasPort(address: String): Boolean =
    try Option(Utils.getPort(address)).exists(port => port > 0 && port <= LargestPort)
    catch { case _: NumberFormatException => false }

  private val LargestPort = 65535
}
