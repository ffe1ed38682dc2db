package io.github.dynamickafka.spark.topology

/** Kafka's client properties of one cluster: the query's `kafka.*` options, and the cluster's own properties, which win. They may contain secrets, so `toString` shows only their names.
  */
final class ConnectionSettings(val properties: Map[String, String]) extends Serializable {
  def bootstrapServers: String = properties.getOrElse("bootstrap.servers", "")

  /** The same, which begins at these addresses. */
  def at(bootstrapServers: String): ConnectionSettings =
    new ConnectionSettings(properties.updated("bootstrap.servers", bootstrapServers))

  /** Whether only committed records are read. */
  def committedOnly: Boolean = properties.get("isolation.level").exists(_.trim.equalsIgnoreCase("read_committed"))

  override def equals(other: Any): Boolean = other match {
    case that: ConnectionSettings => properties == that.properties
    case _                        => false
  }

  override def hashCode: Int = properties.hashCode

  override def toString: String = properties.keys.toSeq.sorted.mkString("ConnectionSettings(", ", ", ")")
}

object ConnectionSettings {
  val none: ConnectionSettings = new ConnectionSettings(Map.empty)
}
