package io.github.dynamickafka.spark.metadata.yaml

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.JsonNodeFactory
import org.snakeyaml.engine.v2.nodes.{Node, NodeType, Tag}

import io.github.dynamickafka.spark.offsets.OffsetRuleText

/** Offsets in a file of streams. A text is taken as it is; a mapping becomes JSON with sorted keys. */
private[yaml] object YamlOffsets {
  import YamlValues._

  private val json = JsonNodeFactory.instance

  /** The text, checked to be valid offsets. */
  def text(node: Node, at: YamlPlace): Checked[String] = {
    val written = node.getNodeType match {
      case NodeType.MAPPING => tree(node, at).map(_.toString)
      case _                => YamlValues.text(node, at)
    }
    written.flatMap(text => OffsetRuleText.cluster(text).fold(failed(node, at, _), _ => Right(text)))
  }

  private def tree(node: Node, at: YamlPlace): Checked[JsonNode] = node.getNodeType match {
    case NodeType.MAPPING =>
      mapping(node, at, scalar)((_, value, place) => tree(value, place)).map { found =>
        val into = json.objectNode()
        found.sortBy(_._1).foreach { case (key, child) => into.set[JsonNode](key, child) }
        into
      }
    case _ if node.getTag == Tag.STR => YamlValues.text(node, at).map(json.textNode(_))
    case _ if node.getTag == Tag.INT => scalar(node, at).flatMap(number(_, node, at))
    case _                           => expected("text, a whole number or a mapping", node, at)
  }

  private def number(digits: String, node: Node, at: YamlPlace): Checked[JsonNode] =
    if (digits.matches("-?[0-9]{1,19}")) Right(json.numberNode(new java.math.BigInteger(digits)))
    else failed(node, at, "expected a decimal number of at most 19 digits")
}
