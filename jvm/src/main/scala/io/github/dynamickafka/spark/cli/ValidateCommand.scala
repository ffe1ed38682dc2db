package io.github.dynamickafka.spark.cli

import scala.util.Using

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.properties.ClientProperties
import io.github.dynamickafka.spark.metadata.{FileCheck, FileProblem, Placeholders}
import io.github.dynamickafka.spark.options.NearestKey
import io.github.dynamickafka.spark.topology.Topology

/** `validate FILE`: all that is wrong with a file of streams, and on request with the clusters that it lists. */
final private[cli] class ValidateCommand(request: Request, replies: Replies) {
  private val check = FileCheck.of(request.file("file").text, request.kafka, Placeholders.ofDriver)

  private val timeout = request.timeout

  def run: JsonNode = Json.obj(
    "file"     -> request.file("file").name,
    "streams"  -> check.streams,
    "listed"   -> check.topology.map(_.clusters.size),
    "problems" -> check.problems.map(placed),
    "warnings" -> (check.warnings ++ check.topology.fold(Vector.empty[FileProblem])(misspelled)).map(placed),
    "clusters" -> check.topology.filter(_ => request.asks("connect")).map(connected)
  )

  private def placed(problem: FileProblem): JsonNode = Json.obj(
    "line"    -> problem.line,
    "stream"  -> problem.stream,
    "cluster" -> problem.cluster,
    "field"   -> problem.field,
    "text"    -> problem.text
  )

  // Kafka's clients take any name, since a plug-in of the user may want it.
  private def misspelled(topology: Topology): Vector[FileProblem] = for {
    (id, cluster) <- topology.clusters.toVector
    name          <- cluster.connection.fold(_ => Vector.empty, _.properties.keys.toVector.sorted)
    if !ClientProperties.known(name)
    known <- NearestKey.to(name, ClientProperties.known.toVector.sorted).toVector
    if NearestKey.distance(name, known) <= ValidateCommand.Slip
  } yield FileProblem(
    s"no client of Kafka's has a property $name: is it $known?",
    cluster = Some(id.value),
    field = Some(s"properties.$name")
  )

  private def connected(topology: Topology): Vector[JsonNode] = {
    val (open, clusters) = topology.clusters.partition { case (id, _) => check.unresolved.contains(id) }
    val ready            = topology.copy(clusters = clusters)
    Using.resource(new ClusterProbes(ready.connections, timeout, replies)) { probes =>
      val found = new ClusterChecks(ready, probes).all
      (found ++ open.keys.map(id => unresolved(id))).sortBy(_.cluster).map(_.json)
    }
  }

  private def unresolved(id: ClusterId): ClusterCheck =
    ClusterCheck(id, failures = Vector(Failure(Condition.InvalidMetadata, s"${check.unresolved(id)}.")))
}

private object ValidateCommand {

  // How many letters may differ from the name that was meant.
  val Slip = 2
}
