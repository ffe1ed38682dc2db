package io.github.dynamickafka.spark.options

import io.github.dynamickafka.spark.options.ValueForm._

/** The builders' methods for the options that take plain values, as source files in Scala and in Python. */
private[options] object BuilderMethods {
  private val Width = 116

  private val plain = SourceOptions.named.filter(_.check.form != ByHand)

  def scala: String = plain.map(scalaMethods).mkString(
    """// Generated from the declared options: `make docs`. Never edited.
      |// format: off
      |package io.github.dynamickafka.spark
      |
      |import java.time.Duration
      |
      |import io.github.dynamickafka.spark.options.DurationText
      |
      |/** The builder's methods for the options that take plain values. */
      |abstract class OptionMethods private[spark] () {
      |
      |  /** Any option by its key. */
      |  def option(key: String, value: String): DynamicKafkaSourceBuilder
      |""".stripMargin,
    "",
    "}\n"
  )

  def python: String = plain.map(pythonMethod).mkString(
    s"""# Generated from the declared options: `make docs`. Never edited.
       |# fmt: off
       |${Quotes}The builder's methods for the options that take plain values.$Quotes
       |
       |from __future__ import annotations
       |
       |from typing import TYPE_CHECKING, Literal
       |
       |from dynamic_kafka._offsets import Offsets
       |from dynamic_kafka._option_values import Duration, OptionValues
       |
       |if TYPE_CHECKING:
       |    # Type checkers know this module, and nothing needs it at run time.
       |    from typing_extensions import Self
       |
       |
       |class OptionMethods(OptionValues):
       |    ${Quotes}Each method checks the type of its value, sets its option, and returns the builder.$Quotes
       |""".stripMargin,
    "",
    ""
  )

  private val Quotes = "\"\"\""

  private def scalaMethods(option: SourceOption[Any]): String = {
    val lines                                   = wrapped(summary(option, _.key), "  /** ", "    * ")
    val comment                                 = lines + (if (lines.contains('\n')) "\n    */\n" else " */\n")
    def method(parameter: String, text: String) =
      s"  def ${option.key}($parameter): DynamicKafkaSourceBuilder = option(\"${option.key}\", $text)\n"
    val methods = option.check.form match {
      case Flag                     => Seq(method("on: Boolean", "on.toString"))
      case Count                    => Seq(method("count: Long", "count.toString"))
      case Duration | DurationOrOff =>
        Seq(method("time: Duration", "DurationText.text(time)"), method("text: String", "text"))
      case Offsets => Seq(method("offsets: Offsets", "offsets.ofOption"), method("text: String", "text"))
      case Text | Choice(_) | ByHand => Seq(method("text: String", "text"))
    }
    s"\n$comment${methods.mkString("\n")}"
  }

  private def pythonMethod(option: SourceOption[Any]): String = {
    // `timeout` of `drainTimeout`.
    val noun                      = option.key.drop(option.key.lastIndexWhere(_.isUpper)).toLowerCase
    val (setter, parameter, kind) = option.check.form match {
      case Text           => ("text", noun, "str")
      case Duration       => ("duration", noun, "Duration")
      case DurationOrOff  => ("duration_or_off", noun, "Duration | Literal[-1]")
      case Choice(values) => ("text", noun, values.map(value => s"\"$value\"").mkString("Literal[", ", ", "]"))
      case Flag           => ("flag", "on", "bool")
      case Count          => ("count", "count", "int")
      case Offsets        => ("offsets", noun, "Offsets")
      case ByHand         => sys.error(s"${option.key} has no plain value")
    }
    val lines   = wrapped(summary(option, _.pythonName), s"        $Quotes", "        ")
    val comment = lines + (if (lines.contains('\n')) "\n        " else "") + Quotes
    s"""
       |    def ${option.pythonName}(self, $parameter: $kind) -> Self:
       |$comment
       |        return self._$setter("${option.key}", $parameter)
       |""".stripMargin
  }

  /** The first sentence, what single values mean, and the default; other options by the names of the language. */
  private def summary(option: SourceOption[Any], name: SourceOption[Any] => String): String = {
    val sentences = option.doc.split("(?<=[.]) ").toVector
    val default   = option.default match {
      case Default.Value(text)                                                        => Some(s"Default `$text`.")
      case Default.Unset(Some(meaning)) if !SourceOptions.selections.contains(option) => Some(s"Default: $meaning.")
      case _                                                                          => None
    }
    val text = (sentences.take(1) ++ sentences.drop(1).takeWhile(_.startsWith("`")) ++ default).mkString(" ")
    SourceOptions.named.foldLeft(text)((sofar, other) => sofar.replace(s"`${other.key}`", s"`${name(other)}`"))
  }

  private def wrapped(text: String, first: String, next: String): String =
    text.split(' ').foldLeft(Vector.empty[String]) {
      case (lines :+ line, word) if line.length + 1 + word.length <= Width => lines :+ s"$line $word"
      case (Vector(), word)                                                => Vector(first + word)
      case (lines, word)                                                   => lines :+ (next + word)
    }.mkString("\n")
}
