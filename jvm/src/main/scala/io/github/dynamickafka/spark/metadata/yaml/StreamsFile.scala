package io.github.dynamickafka.spark.metadata.yaml

import scala.collection.immutable.{SortedMap, SortedSet}
import scala.jdk.CollectionConverters._

import org.snakeyaml.engine.v2.nodes.{Node, Tag}

import io.github.dynamickafka.spark.{ClusterMetadata, KafkaStream}

/** What a file of streams says.
  *
  * @param active the clusters it lists, and whether each is active
  * @param unnamed the addresses of clusters without an id of their own
  */
final private[spark] case class StreamsFile(
    streams: SortedMap[String, KafkaStream],
    active: Map[String, Boolean],
    unnamed: SortedSet[String]
)

/** The form of that file. Strict: what is unknown, missing, doubled or of another type is a problem, so that a file
  * that is half written is noticed rather than believed.
  */
private[spark] object StreamsFile {
  import YamlValues._

  private val StreamFields    = Seq("streamId", "clusterMetadataList")
  private val ClusterRequired = Seq("bootstrapServers", "topics")
  private val ClusterOptional = Seq("clusterId", "properties", "startingOffsets", "endingOffsets", "active")
  private val Bootstrap       = "bootstrap.servers"

  /** Every problem of the text, by line, or what it says. */
  def parse(text: String): Either[Vector[YamlProblem], StreamsFile] = {
    val parsed = YamlTree.of(text).left.map(Vector(_)).flatMap {
      case Some(root) if root.getTag != Tag.NULL => file(root)
      case _ => Left(Vector(YamlProblem(1, YamlPlace.top, "it is empty; no streams at all are written as []")))
    }
    parsed.left.map(_.sortBy(_.line))
  }

  private case class Stream(id: String, node: Node, clusters: Vector[Cluster])

  private case class Cluster(
      id: String,
      named: Boolean,
      active: Option[Boolean],
      metadata: ClusterMetadata,
      node: Node,
      at: YamlPlace
  )

  private def file(root: Node): Checked[StreamsFile] = for {
    entries <- list(root, YamlPlace.top)
    streams <- together(entries.zipWithIndex.map { case ((node, _), index) => stream(node, index) }) { found =>
      repeated(found, "streamId")(_.id, _.node, s => YamlPlace(s"stream ${s.id}", "streamId")) ++ disagreeing(found)
    }
  } yield {
    val clusters = streams.flatMap(_.clusters)
    StreamsFile(
      SortedMap.from(streams.map(s =>
        s.id -> new KafkaStream(s.id, s.clusters.map(c => c.id -> c.metadata).toMap.asJava)
      )),
      clusters.groupMapReduce(_.id)(_.active.getOrElse(true))(_ && _),
      clusters.filterNot(_.named).map(_.id).to(SortedSet)
    )
  }

  private def stream(node: Node, index: Int): Checked[Stream] = {
    val unnamed = YamlPlace(s"entry ${index + 1}", "")
    // The id comes first, even from an entry with problems: all of them are told by the stream's name.
    val name   = YamlFields.of(node, unnamed, StreamFields, Nil).required("streamId")(text)
    val at     = name.fold(_ => unnamed, known => YamlPlace(s"stream $known", ""))
    val fields = YamlFields.of(node, at, StreamFields, Nil)
    val id     = fields.required("streamId")(text)
    val found  = fields.required("clusterMetadataList") { (value, place) =>
      list(value, place).flatMap { entries =>
        together(entries.map { case (entry, at) => cluster(entry, at) })(
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

  private def cluster(node: Node, at: YamlPlace): Checked[Cluster] = {
    val fields     = YamlFields.of(node, at, ClusterRequired, ClusterOptional)
    val servers    = fields.required("bootstrapServers")(text)
    val topics     = fields.required("topics")(this.topics)
    val id         = fields.optional("clusterId")(text)
    val properties = fields.optional("properties")(this.properties)
    val starting   = fields.optional("startingOffsets")(YamlOffsets.text)
    val ending     = fields.optional("endingOffsets")(YamlOffsets.text)
    val active     = fields.optional("active")(boolean)
    for {
      _ <- all(Seq(fields.form, servers, topics, id, properties, starting, ending, active))
      b <- servers
      t <- topics
      i <- id
      p <- properties
      s <- starting
      e <- ending
      a <- active
    } yield {
      val plain   = new ClusterMetadata(t.asJava, (p.getOrElse(Map.empty) + (Bootstrap -> b)).asJava)
      val started = s.fold(plain)(plain.withStartingOffsets)
      Cluster(i.getOrElse(b), i.isDefined, a, e.fold(started)(started.withEndingOffsets), node, at)
    }
  }

  private def topics(node: Node, at: YamlPlace): Checked[Set[String]] =
    list(node, at).flatMap { elements =>
      val names = elements.map { case (element, place) => text(element, place).map((_, element, place)) }
      together(names)(repeated(_, "topic")(_._1, _._2, _._3)).map(_.map(_._1).toSet)
    }

  private def properties(node: Node, at: YamlPlace): Checked[Map[String, String]] =
    mapping(node, at, text) {
      case (Bootstrap, value, place) => failed(value, place, "write the address as bootstrapServers")
      case (_, value, place)         => scalar(value, place)
    }.map(_.toMap)

  private def repeated[A](items: Vector[A], what: String)(
      name: A => String,
      node: A => Node,
      at: A => YamlPlace
  ): Vector[YamlProblem] = twice(items)(name).map { case (first, again) =>
    problem(
      node(again),
      at(again),
      s"the same $what ${name(again)} stands at line ${YamlTree.line(node(first))} already"
    )
  }

  /** A cluster of several streams can't be said to be active here and inactive there. */
  private def disagreeing(streams: Vector[Stream]): Vector[YamlProblem] = {
    val said = streams.flatMap(_.clusters).filter(_.active.isDefined)
    said.groupBy(_.id).values.toVector.flatMap { same =>
      same.tail.filter(_.active != same.head.active).map { cluster =>
        val line = YamlTree.line(same.head.node)
        val text = s"cluster ${cluster.id} is ${cluster.active.mkString}, but the opposite at line $line"
        problem(cluster.node, cluster.at / "active", text)
      }
    }
  }
}
