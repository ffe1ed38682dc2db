package io.github.dynamickafka.spark.options

/** All options as a Python module. */
object OptionTable {

  /** The module `_options.py`. A family such as `kafka.<key>` is left out, because it has no builder method. */
  def python: String = {
    val records = SourceOptions.named.map { option =>
      val default = option.default match {
        case Default.Value(text) => quoted(text)
        case _                   => "None"
      }
      s"    Option(${quoted(option.key)}, ${quoted(option.pythonName)}, $default, ${quoted(option.doc)}),\n"
    }
    PythonHead + records.mkString("OPTIONS: Final[tuple[Option, ...]] = (\n", "", ")\n")
  }

  private val PythonHead =
    s"""# Generated from the options of the JVM source: `make docs`. Never edited.
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

  private def quoted(text: String): String =
    "\"" + text.flatMap {
      case '"'  => "\\\""
      case '\\' => "\\\\"
      case c    => c.toString
    } + "\""
}
