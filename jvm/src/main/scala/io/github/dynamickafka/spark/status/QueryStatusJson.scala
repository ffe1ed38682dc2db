package io.github.dynamickafka.spark.status

import java.time.Instant

import scala.collection.immutable.SortedMap

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.ids.ClusterId

/** The JSON of a query's status, as `docs/status.md` and `docs/metadata-http.md` show it. */
object QueryStatusJson {

  /** The form of the file. Readers refuse a higher one. */
  val Format = 1

  private val mapper = JsonMapper.builder().build()

  /** @param at when it is written */
  def write(status: QueryStatus, at: Instant): String = {
    val root = mapper.createObjectNode()
    status.looked.foreach(_ => root.put("format", Format))
    val query = root.putObject("query")
    query.put("id", status.query.id).put("runId", status.query.runId)
    status.query.name.foreach(query.put("name", _))
    query.put("source", status.query.source)
    root.put("state", status.state.name)
    status.state match {
      case QueryState.Failed(condition, concerns) =>
        condition.foreach(root.put("condition", _))
        if (concerns.nonEmpty) concerns.foldLeft(root.putArray("concerns"))(_.add(_)): Unit
      case QueryState.StoppedByProcess             => root.put("endedBy", "process"): Unit
      case QueryState.Running | QueryState.Stopped => ()
    }
    metadata(root, status)
    status.looked.foreach(looked(root, _))
    root.put("at", at.toString).toString
  }

  private def metadata(root: ObjectNode, status: QueryStatus): Unit = {
    status.applied.foreach { applied =>
      val node = root.putObject("applied")
      applied.version.foreach(node.put("version", _))
      applied.topology.foreach(node.put("topology", _))
      applied.fetched.foreach(time => node.put("fetched", time.toString))
      node.put("at", applied.at.toString)
    }
    status.refused.foreach { refused =>
      val node = root.putObject("refused")
      refused.version.foreach(node.put("version", _))
      node.put("condition", refused.condition.name).put("reason", refused.reason).put("at", refused.at.toString)
    }
  }

  private def looked(root: ObjectNode, looked: ObservedClusters): Unit = {
    looked.at.foreach(time => root.put("looked", time.toString))
    looked.clusters.foreach(clusters(root.putObject("clusters"), _))
    val versions = root.putObject("versions")
    looked.versions.foreach { case (name, version) => versions.put(name, version) }
  }

  private def clusters(node: ObjectNode, all: SortedMap[ClusterId, ClusterStatus]): Unit =
    all.foreach { case (id, cluster) =>
      val here = node.putObject(id.value)
      cluster.state.foreach(here.put("state", _))
      cluster.cause.foreach(here.put("cause", _))
      cluster.kafkaId.foreach(here.put("kafkaId", _))
      here.put("topics", cluster.topics).put("partitions", cluster.partitions)
      here.put("pendingRecords", cluster.pending).put("deferredRecords", cluster.deferred)
      cluster.lastDeferral.foreach(deferral(here.putObject("lastDeferral"), _))
      here.put("uncommittedRecords", cluster.uncommitted).put("drained", cluster.drained)
      val needs = here.putArray("neededFor")
      cluster.needs.foreach(need => needs.add(need.name))
    }

  private def deferral(node: ObjectNode, last: ClusterDeferral): Unit = {
    last.batch.foreach(node.put("batch", _))
    node.put("partitions", last.partitions).put("records", last.records)
    node.put("condition", last.why.name).put("at", last.at.toString)
    last.madeGood.foreach(time => node.put("madeGood", time.toString))
  }
}
