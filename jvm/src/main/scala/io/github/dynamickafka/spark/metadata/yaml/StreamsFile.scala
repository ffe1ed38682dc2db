package io.github.dynamickafka.spark.metadata.yaml

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

import org.snakeyaml.engine.v2.nodes.{Node, Tag}

import io.github.dynamickafka.spark.KafkaStream
import io.github.dynamickafka.spark.errors.{Named, Say}
import io.github.dynamickafka.spark.metadata.PropertyPlace

/** The content of a file of streams.
  *
  * @param active the listed clusters, and whether each is active
  * @param unnamed the addresses of clusters without a clusterId
  * @param lines of the properties with placeholders, for messages; the same streams in other lines are equal
  */
final private[spark] case class StreamsFile(
    streams: SortedMap[String, KafkaStream],
    active: Map[String, Boolean],
    unnamed: SortedSet[String]
)(val lines: Map[PropertyPlace, Int])

/** What was found in the text of such a file.
  *
  * @param file the streams that have no problem of their own; all of them if there is no problem
  * @param lines where each cluster of these streams is listed, by stream and cluster
  */
final private[metadata] case class StreamsReading(
    problems: Vector[YamlProblem],
    file: StreamsFile = StreamsFile.empty,
    lines: Map[(String, String), Int] = Map.empty
)

/** Reads such a file. It is strict: a field that is unknown, missing, repeated or of the wrong type is a problem. So a
  * half-written file is refused.
  */
private[spark] object StreamsFile {
  import YamlValues._

  private val StreamFields = Seq("streamId", "clusterMetadataList")

  val empty: StreamsFile = StreamsFile(SortedMap.empty, Map.empty, SortedSet.empty)(Map.empty)

  /** All problems of the text, by line, or its content. */
  def parse(text: String): Either[Vector[YamlProblem], StreamsFile] = {
    val found = read(text)
    Either.cond(found.problems.isEmpty, found.file, found.problems)
  }

  /** All problems of the text, by line, and what can be read in spite of them. */
  private[metadata] def read(text: String): StreamsReading = {
    val found = YamlTree.of(text) match {
      case Left(problem)                                => StreamsReading(Vector(problem))
      case Right(Some(root)) if root.getTag != Tag.NULL => reading(root, YamlPlace.top)
      case Right(_)                                     =>
        StreamsReading(Vector(YamlProblem(1, YamlPlace.top, "it is empty; no streams at all are written as []")))
    }
    found.copy(problems = found.problems.sortBy(_.line))
  }

  /** As [[parse]], for a text that has the streams in one field of a mapping, beside other required fields. */
  def parseField(text: String, field: String, others: Seq[String]): Either[Vector[YamlProblem], StreamsFile] = {
    val parsed = YamlTree.of(text).left.map(Vector(_)).flatMap {
      case Some(root) =>
        val fields = YamlFields.of(root, YamlPlace.top, field +: others, Nil)
        val found  = fields.required(field)(file)
        all(Seq(fields.form, found)).flatMap(_ => found)
      case None => Left(Vector(YamlProblem(1, YamlPlace.top, "it is empty")))
    }
    parsed.left.map(_.sortBy(_.line))
  }

  private case class Stream(id: String, node: Node, clusters: Vector[ClusterEntry])

  private def file(root: Node, at: YamlPlace): Checked[StreamsFile] = {
    val found = reading(root, at)
    Either.cond(found.problems.isEmpty, found.file, found.problems)
  }

  private def reading(root: Node, at: YamlPlace): StreamsReading = list(root, at).fold(
    StreamsReading(_),
    { entries =>
      val (problems, found) = entries.zipWithIndex.map { case ((node, _), i) => stream(node, i) }.partitionMap(identity)
      val further           =
        repeated(found, "streamId")(_.id, _.node, s => YamlPlace(say"stream ${Named.stream(s.id)}", "streamId")) ++
          disagreeing(found)
      val lines = for (stream <- found; cluster <- stream.clusters)
        yield (stream.id, cluster.id) -> YamlTree.line(cluster.node)
      StreamsReading(problems.flatten ++ further, content(found), lines.toMap)
    }
  )

  private def content(streams: Vector[Stream]): StreamsFile = {
    val clusters = streams.flatMap(_.clusters)
    StreamsFile(
      SortedMap.from(streams.map(s =>
        s.id -> new KafkaStream(s.id, s.clusters.map(c => c.id -> c.metadata).toMap.asJava)
      )),
      clusters.groupMapReduce(_.id)(_.active.getOrElse(true))(_ && _),
      clusters.filterNot(_.named).map(_.id).to(SortedSet)
    )(
      (for (s <- streams; c <- s.clusters; (property, line) <- c.lines)
        yield PropertyPlace(s.id, c.id, property) -> line).toMap
    )
  }

  private def stream(node: Node, index: Int): Checked[Stream] = {
    val unnamed = YamlPlace(s"entry ${index + 1}", "")
    // The id is read first, even from an entry with problems: each problem names the stream.
    val name   = YamlFields.of(node, unnamed, StreamFields, Nil).required("streamId")(text)
    val at     = name.fold(_ => unnamed, known => YamlPlace(say"stream ${Named.stream(known)}", ""))
    val fields = YamlFields.of(node, at, StreamFields, Nil)
    val id     = fields.required("streamId")(text)
    val found  = fields.required("clusterMetadataList") { (value, place) =>
      list(value, place).flatMap { entries =>
        together(entries.map { case (entry, at) => ClusterEntry.read(entry, at) })(
          repeated(_, "clusterId")(_.id, _.node, _.at / "clusterId")
        )
      }
    }
    for {
      _        <- all(Seq(fields.form, id, found))
      known    <- id
      clusters <- found
    } yield Stream(known, node, clusters)
  }

  /** What holds for a whole cluster must be the same under all streams. */
  private def disagreeing(streams: Vector[Stream]): Vector[YamlProblem] =
    streams.flatMap(_.clusters).groupBy(_.id).values.toVector.flatMap(same => activity(same) ++ earlier(same))

  private def activity(same: Vector[ClusterEntry]): Vector[YamlProblem] = {
    val said = same.filter(_.active.isDefined)
    said.drop(1).filter(_.active != said.head.active).map { cluster =>
      val line = YamlTree.line(said.head.node)
      val text = s"cluster ${cluster.id} is ${cluster.active.mkString}, but the opposite at line $line"
      problem(cluster.node, cluster.at / "active", text)
    }
  }

  private def earlier(same: Vector[ClusterEntry]): Vector[YamlProblem] =
    same.drop(1).filter(_.metadata.getContinues != same.head.metadata.getContinues).map { cluster =>
      val line = YamlTree.line(same.head.node)
      val text = s"cluster ${cluster.id} continues other ids here than at line $line: write the same in both"
      problem(cluster.node, cluster.at / "continues", text)
    }
}
