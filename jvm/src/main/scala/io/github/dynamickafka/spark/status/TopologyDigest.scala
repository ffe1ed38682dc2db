package io.github.dynamickafka.spark.status

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import io.github.dynamickafka.spark.topology.{ListedCluster, Pause, Topology}

/** A short name of what the metadata says: queries with the same one read the same. Addresses and properties are left
  * out, because somebody could try all likely secrets until the digest fits.
  */
object TopologyDigest {
  private val Bytes = 8

  /** 16 hexadecimal digits. */
  def of(topology: Topology): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(text(topology).getBytes(UTF_8))
    digest.take(Bytes).map(byte => f"${byte & 0xff}%02x").mkString
  }

  private def text(topology: Topology): String = topology.clusters.map { case (id, cluster) =>
    line(id.value +: fields(cluster))
  }.mkString("\n")

  private def fields(cluster: ListedCluster): Vector[String] = Vector(
    line(cluster.topics.toVector.flatMap { case (name, stream) => Vector(name, stream.value) }),
    line(cluster.startingOffsets.map(_.text).toVector),
    line(cluster.endingOffsets.map(_.text).toVector),
    line(cluster.continues.toVector.map(_.value)),
    cluster.active.toString,
    cluster.pause match {
      case Pause.Whole         => "whole"
      case Pause.Topics(named) => line(named.toVector)
    }
  )

  // Each text comes with its length. So no two topologies have the same text, whatever characters the names hold.
  private def line(texts: Vector[String]): String = texts.map(text => s"${text.length}:$text").mkString(" ")
}
