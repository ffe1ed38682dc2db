package io.github.dynamickafka.spark.cli

import java.time.Clock

import scala.collection.immutable.SortedMap
import scala.util.Using

import com.fasterxml.jackson.databind.JsonNode

import io.github.dynamickafka.spark.diff.SimilarNames
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.metadata.{FileCheck, Placeholders}
import io.github.dynamickafka.spark.offsets._
import io.github.dynamickafka.spark.reconcile.StepBasis
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** `lag CHECKPOINT FILE`: how far each source of a checkpoint is behind. */
final private[cli] class LagCommand(request: Request, replies: Replies) {
  private val file     = request.file("file")
  private val check    = FileCheck.of(file.text, request.kafka, Placeholders.ofDriver)
  private val topology = file.topology(check)
  private val streams  = file.streams.streams.keys.toVector
  private val sources  = request.list("sources").map(source => source.text("name") -> LagCommand.offset(source))

  def run: JsonNode = {
    val now = Clock.systemUTC.instant()
    Using.resource(new ClusterProbes(connections, request.timeout, replies)) { probes =>
      Using.resource(new NextRecords(connections, request.timeout)) { times =>
        Json.obj(
          "at"      -> now,
          "notices" -> gone,
          "rows"    -> sources.flatMap { case (name, held) =>
            new Lag(StepBasis(held, topology), check.unresolved, probes, times).rows.map(_.json(name, now))
          }
        )
      }
    }
  }

  /** The streams that a source holds and that the file does not have: a query that names them reads them no more. */
  private def gone: Vector[String] = {
    val held = sources.flatMap(_._2.topics.map(_._3.stream.value)).distinct.filter(_.nonEmpty)
    val none = held.diff(streams).sorted
    val near = SimilarNames.pairs(none, streams).groupMap(_.gone)(_.appeared)
    none.map { stream =>
      val typo =
        near.get(stream).fold("")(others => s" It has stream ${others.mkString(", ")}: is that a typing error?")
      s"The file has no stream $stream, so a query that names it reads nothing new of it.$typo"
    }
  }

  private def connections: Map[ClusterId, ConnectionSettings] = topology.connections -- check.unresolved.keySet
}

private object LagCommand {

  /** What a source has reached: an offset of ours, or positions of Spark's source. */
  def offset(source: Request): SourceOffset = source.reached.getOrElse(positions(source))

  private def positions(source: Request): SourceOffset = {
    val topics = source.members("positions").map { case (topic, partitions) =>
      val at = new Request(partitions).all.map { case (number, next) =>
        number.toInt -> PartitionOffset(next.asLong, next.asLong, 0)
      }
      topic -> TopicOffset(None, StreamId(""), SortedMap.from(at))
    }
    SourceOffset(SortedMap(ClusterId(source.text("cluster")) -> ClusterOffset(None, SortedMap.from(topics))))
  }
}
