package io.github.dynamickafka.spark.compat

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import munit.FunSuite

import io.github.dynamickafka.spark.offsets.{OffsetJson, SourceOffset}

/** Compares `docs/checkpoint.md` with the offsets that are written. */
class CheckpointPageSuite extends FunSuite {
  private type Field = (String, String)

  private lazy val page: Vector[String] =
    Files.readAllLines(OffsetFiles.folder.resolve(Path.of("..", "..", "docs", "checkpoint.md"))).asScala.toVector

  /** The fields that the page lists, in order, each with its place. */
  private def said: Vector[Field] = page.foldLeft(("", Vector.empty[Field])) {
    case ((_, found), CheckpointPageSuite.Place(where))                        => (where, found)
    case ((_, found), CheckpointPageSuite.Heading())                           => ("", found)
    case ((where, found), CheckpointPageSuite.Listed(field)) if where.nonEmpty => (where, found :+ (where -> field))
    case (so, _)                                                               => so
  }._2

  /** The fields of a text in order, with repetitions. */
  private def written(offset: SourceOffset): Vector[Field] = {
    val root = json(offset)
    fields("offset", root) ++ clusters(root).flatMap(fields("cluster", _)) ++
      clusters(root).flatMap(pending).flatMap(fields("pending", _)) ++
      topics(offset).flatMap(fields("topic", _))
  }

  private def json(offset: SourceOffset): JsonNode = new ObjectMapper().readTree(OffsetJson.write(offset))

  private def clusters(root: JsonNode): Vector[JsonNode] = root.get("clusters").elements.asScala.toVector

  private def pending(cluster: JsonNode): Vector[JsonNode] = Option(cluster.get("pending")).toVector ++
    Option(cluster.get("pendingTopics")).toVector.flatMap(_.elements.asScala)

  private def topics(offset: SourceOffset): Vector[JsonNode] =
    clusters(json(offset)).flatMap(_.get("topics").elements.asScala)

  private def fields(where: String, node: JsonNode): Vector[Field] =
    node.fieldNames.asScala.map(where -> _).toVector

  private def newest: Vector[SourceOffset] = KeptOffsets.all.last._2.values.toVector

  test("the page names each field that is written, and no other") {
    assertEquals(said.toSet, newest.flatMap(written).toSet)
    assertEquals(said, said.distinct)
  }

  test("fields are written in the order of the page") {
    for {
      offset          <- newest
      (where, fields) <- written(offset).groupMap(_._1)(_._2).toVector if where == "offset" || offset.clusters.size == 1
    } assertEquals(fields, said.collect { case (`where`, field) if fields.contains(field) => field })
  }

  test("the page names each element of a position") {
    val named = page.collectFirst { case CheckpointPageSuite.Position(elements) => elements.split(", ").length }
    val sizes = newest.flatMap(topics).flatMap(_.get("partitions").elements.asScala).map(_.size)
    assertEquals(sizes.toSet, Set(3, named.getOrElse(fail("no position"))))
  }

  test("the page's example is an offset, in its canonical text") {
    val example = page.filter(_.startsWith("{")).headOption.getOrElse(fail("no example"))
    assertEquals(OffsetJson.write(OffsetJson.read(example)), example)
  }

  test("the page names the present version") {
    assert(page.exists(_.contains(s"`version`: the form of this text, `${OffsetJson.Version}`")))
  }
}

private object CheckpointPageSuite {
  val Place    = """Of (?:the |a |`)(\w+)`?:""".r
  val Heading  = "## .*".r
  val Listed   = """- `(\w+)`:.*""".r
  val Position = """- `partitions`: .* `\[([^\]]+)\]`, or without `epoch`.*""".r
}
