package io.github.dynamickafka.spark.offsets

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.matching.Regex

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.{ClusterId, Printable}

/** The text of an offset rule: a point (`earliest`, `latest`, `{"timestamp": time}`, `{"committed": group, "otherwise":
  * point}`), or JSON by cluster, topic, partition, each level of which may be a point instead. A number is an offset and
  * stands for a partition alone. Beside named topics or partitions, the key `*` is what all others get. Beside named
  * clusters the empty key is: any other may be a cluster's id.
  *
  * {{{ {"eu-1": {"orders": {"0": 1200, "*": "latest"}}, "us-1": "earliest"} }}}
  */
object OffsetRuleText {
  import Printable.clipped

  private type Parsed[A] = Either[String, A]

  private val Others        = "*"
  private val OtherClusters = ""

  // With a folder, or with an ending that files of offsets have.
  private val FileName: Regex = """(?i)\S*[/\\]\S*|\S+\.(json|ya?ml|txt)""".r

  /** What a text by cluster means. Left: where it is wrong, what was seen and what is allowed. */
  def rule(text: String): Either[String, OffsetRule] = tree(text, "cluster").flatMap { node =>
    PeerOffsets.instead(node).toLeft(node)
  }.flatMap { node =>
    point(node, Path.root).map(_.map(OffsetRule.everywhere)).getOrElse {
      for {
        default <- others(node, Path.root, OtherClusters)
        byName  <- children(without(node, OtherClusters), Path.root)(clusterRule)
      } yield OffsetRule(default, SortedMap.from(byName.map { case (name, own) => ClusterId(name) -> own }))
    }
  }

  /** What a text by topic means: the offsets of one cluster. Left as for [[rule]]. */
  def cluster(text: String): Either[String, ClusterRule] = tree(text, "topic").flatMap(clusterRule(_, Path.root))

  /** What such a text in the checkpoint means.
    *
    * @throws DynamicKafkaException `OFFSET_VERSION` where a newer release wrote a form that this one does not know
    */
  def held(text: String): ClusterRule = cluster(text).fold(
    why =>
      throw DynamicKafkaException(
        Condition.OffsetVersion,
        s"The checkpoint's offsets `${clipped(text)}` can't be read: $why"
      ),
    identity
  )

  /** The text of a cluster's rule, the same for equal rules. [[cluster]] reads it. */
  def text(rule: ClusterRule): String = rule match {
    case ClusterRule(Some(OffsetPoint.Earliest), topics) if topics.isEmpty => "earliest"
    case ClusterRule(Some(OffsetPoint.Latest), topics) if topics.isEmpty   => "latest"
    case ClusterRule(Some(own), topics) if topics.isEmpty                  => pointNode(own).toString
    case all                                                               => byTopic(all).toString
  }

  /** The same as JSON by topic, whatever the rule names. */
  def byTopic(rule: ClusterRule): JsonNode =
    objectNode(rule.default, rule.topics.map { case (topic, own) => topic -> topicNode(topic, own) })

  private def tree(text: String, top: String): Parsed[JsonNode] = text.trim match {
    case point @ ("earliest" | "latest")                       => Right(JsonNodeFactory.instance.textNode(point))
    case json if json.startsWith("{") || json.startsWith("\"") =>
      try Right(StrictJson.mapper.readTree(json))
      catch { case e: JsonProcessingException => Left(s"it is not valid JSON: ${e.getOriginalMessage}${place(e)}") }
    case other =>
      Left(
        s"found `${clipped(other)}`; allowed are $points, or JSON by ${if (top == "cluster") "cluster, " else ""}topic, partition" +
          (if (FileName.matches(other)) "; no file is read here: pass its text" else "")
      )
  }

  private def place(e: JsonProcessingException): String =
    Option(e.getLocation).fold("")(at => s" (line ${at.getLineNr}, column ${at.getColumnNr})")

  private def clusterRule(node: JsonNode, at: Path): Parsed[ClusterRule] =
    point(node, at).map(_.map(own => ClusterRule(Some(own), SortedMap.empty))).getOrElse {
      for {
        default <- others(node, at, Others)
        topics  <- children(without(node, Others), at)(topicRule)
      } yield ClusterRule(default, SortedMap.from(topics))
    }

  private def topicRule(node: JsonNode, at: Path): Parsed[TopicRule] =
    point(node, at).map(_.map(own => TopicRule(Some(own), SortedMap.empty))).getOrElse {
      for {
        default    <- others(node, at, Others)
        _          <- all(without(node, Others).fieldNames.asScala.toSeq)(partitionNumber(_, at))
        partitions <- children(without(node, Others), at)(partitionPoint)
      } yield TopicRule(default, SortedMap.from(partitions.map { case (number, own) => number.toInt -> own }))
    }

  private def partitionNumber(key: String, at: Path): Parsed[Int] =
    Option.when(key.matches("0|[1-9][0-9]*"))(key).flatMap(digits => Try(digits.toInt).toOption).toRight(
      s"${at / key}: a partition's number is expected as key, such as \"0\", or \"$Others\" for all others"
    )

  private def partitionPoint(node: JsonNode, at: Path): Parsed[OffsetPoint] =
    if (node.isNumber) whole(node, at, "an offset").map(OffsetPoint.Exact)
    else point(node, at).getOrElse(Left(s"$at: found ${seen(node)}; allowed are an offset, $points"))

  /** The point that a node is meant as; none: it is a level with names. */
  private def point(node: JsonNode, at: Path): Option[Parsed[OffsetPoint]] =
    if (node.isTextual) Some(node.textValue match {
      case "earliest" => Right(OffsetPoint.Earliest)
      case "latest"   => Right(OffsetPoint.Latest)
      case other      => Left(s"$at: found \"${clipped(other)}\"; allowed are $points")
    })
    else if (isTime(node.path("timestamp"))) Some(timestamp(node, at))
    else if (node.path("committed").isTextual) Some(committed(node, at))
    else if (node.isObject) None
    else if (node.isNumber) Some(Left(s"$at: found ${seen(node)}; an offset stands for a partition alone"))
    else Some(Left(s"$at: found ${seen(node)}; allowed are $points, or an object with names"))

  private def timestamp(node: JsonNode, at: Path): Parsed[OffsetPoint] = for {
    _  <- only(node, at, Set("timestamp"))
    ms <- millis(node.get("timestamp"), at / "timestamp")
  } yield OffsetPoint.Timestamp(ms)

  // `{"timestamp": "latest"}` names a cluster or topic that is called so.
  private def isTime(node: JsonNode): Boolean =
    node.isNumber || node.isTextual && !Set("earliest", "latest")(node.textValue)

  private def millis(node: JsonNode, at: Path): Parsed[Long] =
    if (node.isTextual) OffsetTime.parse(node.textValue).left.map(why => s"$at: found ${seen(node)}; $why")
    else whole(node, at, "a time in milliseconds since 1970")

  private def committed(node: JsonNode, at: Path): Parsed[OffsetPoint] = for {
    _     <- only(node, at, Set("committed", "otherwise"))
    group <- Option(node.get("committed").textValue).filterNot(_.isBlank).toRight(s"${at / "committed"}: no group")
    other <- Option(node.get("otherwise")).toRight(
      s"$at: \"otherwise\" is missing; say where a partition stands that group \"${clipped(group)}\" has committed nothing for"
    )
    otherwise <- point(other, at / "otherwise").getOrElse(
      Left(s"${at / "otherwise"}: found ${seen(other)}; allowed are $points")
    )
  } yield OffsetPoint.Committed(group, otherwise)

  private def only(node: JsonNode, at: Path, allowed: Set[String]): Parsed[Unit] =
    node.fieldNames.asScala.find(!allowed(_)).map(key =>
      s"${at / key}: not expected beside ${allowed.toSeq.sorted.filter(node.has).map("\"" + _ + "\"").mkString(", ")}"
    ).toLeft(())

  private def whole(node: JsonNode, at: Path, what: String): Parsed[Long] =
    if (!node.isIntegralNumber || !node.canConvertToLong) Left(s"$at: found ${seen(node)}; $what is a whole number")
    else if (node.longValue < 0) Left(s"$at: found ${seen(node)}; $what is not negative, and -1 or -2 have no meaning")
    else Right(node.longValue)

  private def others(node: JsonNode, at: Path, key: String): Parsed[Option[OffsetPoint]] =
    Option(node.get(key)).map { own =>
      point(own, at / key).getOrElse(Left(s"${at / key}: found ${seen(own)}; allowed are $points")).map(Some(_))
    }.getOrElse(Right(None))

  private def children[A](node: JsonNode, at: Path)(read: (JsonNode, Path) => Parsed[A]): Parsed[Seq[(String, A)]] =
    all(node.properties.asScala.toSeq)(field => read(field.getValue, at / field.getKey).map(field.getKey -> _))

  private def all[A, B](items: Seq[A])(read: A => Parsed[B]): Parsed[Seq[B]] =
    items.foldLeft[Parsed[Vector[B]]](Right(Vector.empty))((sofar, item) => sofar.flatMap(s => read(item).map(s :+ _)))

  private def without(node: JsonNode, key: String): ObjectNode = node.deepCopy[ObjectNode].without(key)

  private def seen(node: JsonNode): String = s"${node.getNodeType.toString.toLowerCase} `${clipped(node.toString)}`"

  private def points: String =
    "earliest, latest, {\"timestamp\": \"2026-01-01T00:00:00Z\"}, {\"committed\": \"group\", \"otherwise\": \"earliest\"}"

  private def topicNode(topic: String, rule: TopicRule): JsonNode = rule match {
    // `{"committed": "latest"}` would read as a group's name, so that topic's point is written out.
    case TopicRule(Some(own), partitions) if partitions.isEmpty && topic != "committed" => pointNode(own)
    case TopicRule(default, partitions)                                                 =>
      objectNode(default, partitions.toSeq.map { case (number, own) => number.toString -> pointNode(own) })
  }

  private def objectNode(default: Option[OffsetPoint], named: Iterable[(String, JsonNode)]): ObjectNode = {
    val node = JsonNodeFactory.instance.objectNode()
    default.foreach(own => node.set[JsonNode](Others, pointNode(own)))
    named.foreach { case (name, own) => node.set[JsonNode](name, own) }
    node
  }

  private def pointNode(point: OffsetPoint): JsonNode = point match {
    case OffsetPoint.Earliest                    => JsonNodeFactory.instance.textNode("earliest")
    case OffsetPoint.Latest                      => JsonNodeFactory.instance.textNode("latest")
    case OffsetPoint.Exact(offset)               => JsonNodeFactory.instance.numberNode(offset)
    case OffsetPoint.Timestamp(ms)               => JsonNodeFactory.instance.objectNode().put("timestamp", ms)
    case OffsetPoint.Committed(group, otherwise) =>
      JsonNodeFactory.instance.objectNode().put("committed", group).set[ObjectNode]("otherwise", pointNode(otherwise))
  }

  /** Where in the text: the keys down to there, quoted where they are no plain words. */
  final private case class Path(keys: Vector[String]) {
    def /(key: String): Path      = Path(keys :+ key)
    override def toString: String =
      if (keys.isEmpty) "at the top"
      else
        keys.map(key =>
          if (key.matches("[A-Za-z_][\\w-]{0,99}")) key else "\"" + Printable.line(clipped(key)) + "\""
        ).mkString(".")
  }

  private object Path { val root: Path = Path(Vector.empty) }
}
