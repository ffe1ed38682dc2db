package io.github.dynamickafka.spark.metadata.yaml

import scala.jdk.CollectionConverters._

import org.snakeyaml.engine.v2.nodes.{Node, Tag}

import io.github.dynamickafka.spark.ClusterMetadata

/** One cluster of a stream, as a file of streams describes it.
  *
  * @param named whether the entry has a clusterId; otherwise its address is its id
  * @param active the value in the file, if there is one
  * @param lines of the properties with placeholders
  */
final private[yaml] case class ClusterEntry(
    id: String,
    named: Boolean,
    active: Option[Boolean],
    metadata: ClusterMetadata,
    lines: Map[String, Int],
    node: Node,
    at: YamlPlace
)

private[yaml] object ClusterEntry {
  import YamlValues._

  private val Bootstrap = "bootstrap.servers"
  private val Required  = Seq("bootstrapServers", "topics")
  private val Optional  =
    Seq("clusterId", "properties", "startingOffsets", "endingOffsets", "active", "continues", "paused")

  private type Change = ClusterMetadata => ClusterMetadata

  /** All problems of an entry, or its content. */
  def read(node: Node, at: YamlPlace): Checked[ClusterEntry] = {
    val fields     = YamlFields.of(node, at, Required, Optional)
    val servers    = fields.required("bootstrapServers")(text)
    val topics     = fields.required("topics")(texts("topic"))
    val named      = fields.optional("clusterId")(text)
    val id         = named.flatMap(_.fold(servers)(Right(_)))
    val properties = fields.optional("properties")(this.properties)
    val active     = fields.optional("active")(boolean)
    val changes    = Seq(
      fields.optional("startingOffsets")(starting),
      fields.optional("endingOffsets")(ending),
      fields.optional("continues")(continuing(id)),
      fields.optional("paused")(paused)
    )
    for {
      _ <- all(Seq(fields.form, servers, topics, named, properties, active, all(changes)))
      i <- id
      n <- named
      b <- servers
      t <- topics
      p <- properties
      a <- active
      c <- all(changes)
    } yield {
      val own   = p.getOrElse(Map.empty) ++ fields.values.get(Required.head).map(node => Bootstrap -> Property(b, node))
      val plain = new ClusterMetadata(t.asJava, own.transform((_, property) => property.value).asJava)
      val lines =
        own.collect { case (name, property) if property.hasPlaceholder => name -> YamlTree.line(property.node) }
      ClusterEntry(
        i,
        n.isDefined,
        a,
        c.flatten.foldLeft(plain)((metadata, change) => change(metadata)),
        lines,
        node,
        at
      )
    }
  }

  private def starting(node: Node, at: YamlPlace): Checked[Change] =
    YamlOffsets.text(node, at).map(text => (cluster: ClusterMetadata) => cluster.withStartingOffsets(text))

  private def ending(node: Node, at: YamlPlace): Checked[Change] =
    YamlOffsets.text(node, at).map(text => (cluster: ClusterMetadata) => cluster.withEndingOffsets(text))

  /** One id or a list of ids, but not the entry's own. */
  private def continuing(own: Checked[String])(node: Node, at: YamlPlace): Checked[Change] = {
    val ids = node.getTag match {
      case Tag.SEQ            => texts("id")(node, at)
      case Tag.MAP | Tag.NULL => expected("a cluster id or a list of them", node, at)
      case _                  => text(node, at).map(Set(_))
    }
    ids.flatMap { earlier =>
      if (own.exists(earlier)) failed(node, at, "a cluster can't continue itself: name only its earlier ids")
      else Right((cluster: ClusterMetadata) => cluster.continuing(earlier.asJava))
    }
  }

  private def paused(node: Node, at: YamlPlace): Checked[Change] = node.getTag match {
    case Tag.BOOL =>
      boolean(node, at).map(all => (cluster: ClusterMetadata) => if (all) cluster.paused() else cluster)
    case Tag.SEQ =>
      texts("topic")(node, at).map(topics => (cluster: ClusterMetadata) => cluster.pausedTopics(topics.asJava))
    case _ => expected("true, false or a list of topics", node, at)
  }

  final private case class Property(value: String, node: Node) {
    def hasPlaceholder: Boolean = value.contains("${")
  }

  private def properties(node: Node, at: YamlPlace): Checked[Map[String, Property]] =
    mapping(node, at, text) {
      case (Bootstrap, value, place) =>
        failed(value, place, "write the address as bootstrapServers")
      // The key may be the rest of a value, which may be a secret.
      case (_, value, _) if value.getTag == Tag.NULL =>
        failed(value, at, "a key has no value; a value with a comma or a colon needs quotes")
      case (_, value, place) => scalar(value, place).map(Property(_, value))
    }.map(_.toMap)
}
