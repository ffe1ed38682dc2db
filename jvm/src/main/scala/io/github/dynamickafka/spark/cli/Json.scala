package io.github.dynamickafka.spark.cli

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.JsonNodeFactory

/** Makes JSON of plain values. */
private[cli] object Json {
  val mapper: JsonMapper = JsonMapper.builder().build()
  private val nodes      = JsonNodeFactory.instance

  /** An object; a field without a value is left out. */
  def obj(fields: (String, Any)*): JsonNode = {
    val node = nodes.objectNode()
    fields.foreach {
      case (_, None)           => ()
      case (name, Some(value)) => node.set[JsonNode](name, of(value))
      case (name, value)       => node.set[JsonNode](name, of(value))
    }
    node
  }

  def of(value: Any): JsonNode = value match {
    case node: JsonNode   => node
    case text: String     => nodes.textNode(text)
    case yes: Boolean     => nodes.booleanNode(yes)
    case number: Int      => nodes.numberNode(number)
    case number: Long     => nodes.numberNode(number)
    case all: Iterable[_] =>
      val array = nodes.arrayNode()
      all.foreach(one => array.add(of(one)))
      array
    case other => nodes.textNode(other.toString)
  }
}
