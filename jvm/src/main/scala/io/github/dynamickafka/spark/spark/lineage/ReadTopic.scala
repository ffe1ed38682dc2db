package io.github.dynamickafka.spark.spark.lineage

import io.github.dynamickafka.spark.driver.bounded.BoundedRead
import io.github.dynamickafka.spark.driver.memory.DriverState
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.properties.BootstrapList
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** A topic of a cluster that a read takes records from.
  *
  * @param address one of the cluster's, a host and a port
  */
final private[spark] case class ReadTopic(cluster: ClusterId, address: String, topic: String)

/** A part of a plan that can say what it reads. */
private[spark] trait ReadsTopics {

  /** What is known now. Any thread may ask, and nobody is asked. */
  def topicsRead: Vector[ReadTopic]
}

private[spark] object ReadTopic {

  /** What a query reads after its last step: what is listed and begun, and what drains. A standby is not read. */
  def of(state: DriverState): Vector[ReadTopic] = known(
    state.connections,
    state.last.toVector.flatMap(_.reconciled.offset.topics).collect {
      case (id, name, topic) if topic.removal.isEmpty || topic.drains => id -> name
    }
  )

  def of(read: BoundedRead): Vector[ReadTopic] =
    known(read.connections, read.ranges.map(range => range.id.cluster -> range.id.topic).distinct)

  private def known(
      connections: Map[ClusterId, ConnectionSettings],
      topics: Vector[(ClusterId, String)]
  ): Vector[ReadTopic] = for {
    (id, name) <- topics
    connection <- connections.get(id).toVector
    address    <- BootstrapList.first(connection.bootstrapServers).toVector
  } yield ReadTopic(id, address, name)
}
