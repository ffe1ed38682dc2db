package io.github.dynamickafka.spark.options

/** The reference of all options as text: for people as Markdown, for Python as a module. */
object OptionTable {
  private val Columns = Seq("option", "default", "allowed", "since", "meaning")

  /** One row of Markdown for each option. */
  def markdown: String = {
    val rule = Columns.map(_ => "---")
    (Seq(Columns, rule) ++ SourceOptions.all.map(cells)).map(_.mkString("| ", " | ", " |\n")).mkString
  }

  /** The module `_options.py`. A family such as `kafka.<key>` is no record: it has no method of its own. */
  def python: String = {
    val records = SourceOptions.named.map { option =>
      val default = option.default match {
        case Default.Value(text) => quoted(text)
        case _                   => "None"
      }
      s"    Option(${quoted(option.key)}, ${quoted(option.pythonName)}, $default, ${quoted(meaning(option))}),\n"
    }
    PythonHead + records.mkString("OPTIONS: Final[tuple[Option, ...]] = (\n", "", ")\n")
  }

  private val PythonHead =
    s"""# Generated from the options of the JVM source by OptionsPage; never edited.
       |# ruff: noqa: E501
       |# fmt: off
       |${"\"\"\""}Every option of the source, in the order of its reference page.${"\"\"\""}
       |
       |from typing import Final, NamedTuple
       |
       |
       |class Option(NamedTuple):
       |    ${"\"\"\""}One option: its key, the builder's method for it, its default (None: not set) and what it means.${"\"\"\""}
       |
       |    key: str
       |    python_name: str
       |    default: str | None
       |    doc: str
       |
       |
       |""".stripMargin

  private def cells(option: SourceOption[_]): Seq[String] = Seq(
    s"`${option.key}`",
    option.default match {
      case Default.Value(text) => s"`$text`"
      case other               => other.shown.getOrElse("none")
    },
    option.check.allowed.replace("|", "\\|"),
    option.since,
    meaning(option).replace("|", "\\|")
  )

  private def meaning(option: SourceOption[_]): String = option.availability match {
    case Availability.Built                                => option.doc
    case Availability.NotYet(accepted) if accepted.isEmpty => s"Not available in this version. ${option.doc}"
    case Availability.NotYet(accepted)                     =>
      s"Only ${accepted.toSeq.sorted.map(value => s"`$value`").mkString(", ")} in this version. ${option.doc}"
  }

  private def quoted(text: String): String =
    "\"" + text.flatMap {
      case '"'  => "\\\""
      case '\\' => "\\\\"
      case c    => c.toString
    } + "\""
}
