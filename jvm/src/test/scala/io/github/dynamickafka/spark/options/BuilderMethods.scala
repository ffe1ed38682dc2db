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
      case Text(_) | Choice(_) | ByHand => Seq(method("text: String", "text"))
    }
    s"\n$comment${methods.mkString("\n")}"
  }

  private def pythonMethod(option: SourceOption[Any]): String = {
    val form = pythonForm(option)
    s"""
       |    def ${option.pythonName}(self, ${form.parameter}: ${form.kind}) -> Self:
       |${wrapped(summary(option, _.pythonName), s"        $Quotes", "        ")}
       |
       |        >>> builder.${option.pythonName}(${form.example})
       |        DynamicKafkaSourceBuilder(${option.key}='${form.text}')
       |        $Quotes
       |        return self._${form.setter}("${option.key}", ${form.parameter})
       |""".stripMargin
  }

  /** A Python method for one form of values.
    *
    * @param setter the method that checks and sets, without its underscore
    * @param example a value as Python writes it, and `text` as the option has it
    */
  private case class PythonForm(setter: String, parameter: String, kind: String, example: String, text: String)

  private def pythonForm(option: SourceOption[Any]): PythonForm = {
    val default = option.default match {
      case Default.Value(text) => Some(text)
      case _                   => None
    }
    // `timeout` of `drainTimeout`.
    val noun = option.key.drop(option.key.lastIndexWhere(_.isUpper)).toLowerCase
    def of(setter: String, kind: String, example: String) = {
      val text = default.getOrElse(example)
      PythonForm(setter, noun, kind, quoted(text), text)
    }
    option.check.form match {
      case Text(example)  => of("text", "str", example)
      case Duration       => of("duration", "Duration", "10m")
      case DurationOrOff  => of("duration_or_off", "Duration | Literal[-1]", "10m")
      case Choice(values) =>
        val other = values.find(!default.contains(_)).getOrElse(values.head)
        PythonForm("text", noun, values.map(quoted).mkString("Literal[", ", ", "]"), quoted(other), other)
      case Flag =>
        val on = default.contains("false")
        PythonForm("flag", "on", "bool", on.toString.capitalize, on.toString)
      case Count =>
        val count = default.getOrElse("1000")
        PythonForm("count", "count", "int", count, count)
      case Offsets =>
        val (example, text) = default.fold(ByName)(text => (quoted(text), text))
        PythonForm("offsets", noun, "Offsets", example, text)
      case ByHand => sys.error(s"${option.key} has no plain value")
    }
  }

  private def quoted(text: String): String = "\"" + text + "\""

  private val ByName =
    ("""{"eu-1": {"orders": {0: 1200, 1: "latest"}}}""", """{"eu-1":{"orders":{"0":1200,"1":"latest"}}}""")

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
