package io.github.dynamickafka.spark.read

import java.io.IOException
import java.net.{ConnectException, InetSocketAddress, Socket}

import scala.util.Using

import io.github.dynamickafka.spark.kafka.properties.BootstrapList

/** Whether a cluster is certainly down: nothing listens at any of its addresses. A firewall that drops packets and a
  * frozen broker look different.
  */
private[read] object Refusal {
  private val PatienceMillis = 200

  def of(bootstrapServers: String): Boolean = {
    val addresses = BootstrapList.addresses(bootstrapServers)
    addresses.nonEmpty && addresses.forall { case (host, port) => refused(host, port) }
  }

  private def refused(host: String, port: Int): Boolean =
    try {
      Using.resource(new Socket)(_.connect(new InetSocketAddress(host, port), PatienceMillis))
      false
    } catch {
      case _: ConnectException => true
      case _: IOException      => false
    }
}
