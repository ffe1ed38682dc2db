package io.github.dynamickafka.spark.kafka.properties

import org.apache.kafka.common.utils.Utils

import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The addresses in `bootstrap.servers`. */
private[spark] object BootstrapList {

  /** Those that Kafka's client can't read: each needs a host and a port, such as `b1:9092`. */
  def unreadable(servers: String): Vector[String] =
    texts(servers).filterNot(address => address.isEmpty || readable(address))

  /** The others, as host and port alone: whatever else is written there is not shown. */
  def addresses(servers: String): Vector[(String, Int)] =
    texts(servers).filter(readable).map(address => (Utils.getHost(address), Utils.getPort(address).intValue))

  /** The same connection for the next client, while no broker has answered the ones before. The first one gets all the
    * addresses. Kafka's client asks one of them, at random, and no other one while that broker hangs. So each further
    * client gets one address alone, in turn.
    */
  def inTurn(connection: ConnectionSettings, number: Int): ConnectionSettings = {
    val all = addresses(connection.bootstrapServers)
    if (number == 0 || all.isEmpty) connection
    else {
      val (host, port) = all(Math.floorMod(number - 1, all.size))
      connection.at(Utils.formatAddress(host, port))
    }
  }

  private def texts(servers: String): Vector[String] = servers.split(',').toVector.map(_.trim)

  private def readable(address: String): Boolean =
    Option(Utils.getHost(address)).exists(_.nonEmpty) && hasPort(address)

  private def hasPort(address: String): Boolean =
    try Option(Utils.getPort(address)).exists(port => port > 0 && port <= LargestPort)
    catch { case _: NumberFormatException => false }

  private val LargestPort = 65535
}
