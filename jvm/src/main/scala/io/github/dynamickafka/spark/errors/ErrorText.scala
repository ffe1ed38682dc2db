package io.github.dynamickafka.spark.errors

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}

import io.github.dynamickafka.spark.ids.Printable

/** The message of an error:
  * {{{
  * [DYNAMIC_KAFKA_DATA_LOSS] Records of topic orders of cluster eu-1 aged out. More: dynamic-kafka explain DATA_LOSS.
  * Fields: {"cluster":"eu-1","topic":"orders"}
  * }}}
  * After what happened comes the command that explains the condition. The message ends with the fields as JSON. Python
  * reads them there. So do all who have only the text: of a task's failure, or over Spark Connect. JSON keeps each id
  * exact, whatever characters it has. No other part of a message can look like it.
  */
private[errors] object ErrorText {
  private val Mark = " Fields: {"

  private val mapper = JsonMapper.builder().build()

  def of(condition: Condition, wording: Wording): String = {
    val prose = s"$condition ${Printable.lines(wording.text)}".replace(Mark, " Fields : {")
    // The last of several lines is often a quoted one, such as that of a stack trace.
    val helped = s"$prose${if (prose.contains('\n')) "\n" else " "}${help(condition)}"
    json(wording.fields).fold(helped)(fields => s"$helped Fields: $fields")
  }

  /** Parses what follows the condition, up to the end of the message. */
  def read(condition: Condition, text: String): Wording = {
    val at     = text.indexOf(Mark)
    val fields = if (at < 0) None else Try(parsed(text.substring(at + Mark.length - 1))).toOption.filterNot(_.isEmpty)
    val prose  = fields.fold(text)(_ => text.substring(0, at))
    val end    = prose.length - help(condition).length - 1
    new Wording(if (prose.endsWith(help(condition))) prose.take(end) else prose, fields.getOrElse(ErrorFields.none))
  }

  /** The command that says more of a condition, without a network. Python's `_error_help.py` has the same. */
  private def help(condition: Condition): String =
    s"More: dynamic-kafka explain ${condition.name.stripPrefix("DYNAMIC_KAFKA_")}."

  private def json(fields: ErrorFields): Option[String] = {
    val node = JsonNodeFactory.instance.objectNode()
    Field.all.foreach { field =>
      (fields.one(field), fields.all(field)) match {
        case (Some(one), _) if field.isNumber                     => node.put(field.key, one.toInt)
        case (Some(one), _)                                       => node.put(field.key, one)
        case (None, several) if several.isEmpty || field.isNumber => ()
        case (None, several) => several.foldLeft(node.putArray(field.key))(_.add(_)): Unit
      }
    }
    Option.when(!node.isEmpty)(escaped(node))
  }

  // Only strings of JSON can have invisible characters, and these codes are valid there. Half a surrogate pair would
  // not survive the way to Python.
  private def escaped(node: ObjectNode): String =
    Printable.line(node.toString).flatMap(char => if (char.isSurrogate) f"\\u${char.toInt}%04x" else char.toString)

  private def parsed(json: String): ErrorFields = {
    val node   = mapper.readTree(json)
    val values = for {
      field <- Field.all
      value <- Option(node.get(field.key))
    } yield field -> (if (value.isArray) value.elements.asScala.map(_.asText).toVector else Vector(value.asText))
    ErrorFields(values.toMap)
  }
}
