package io.github.dynamickafka.spark.options

/** The names of all options as a Python module. */
object OptionTable {

  /** The module `_options.py`. A family such as `kafka.<key>` is left out, because it has no builder method. */
  def python: String =
    SourceOptions.named.map(option => s"    Option(\"${option.key}\", \"${option.pythonName}\"),\n").mkString(
      s"""# Generated from the declared options: `make docs`. Never edited.
         |# fmt: off
         |${"\"\"\""}Every option of the source, in the order of its reference page.${"\"\"\""}
         |
         |from typing import Final, NamedTuple
         |
         |
         |class Option(NamedTuple):
         |    ${"\"\"\""}One option: its key, and the builder's method for it.${"\"\"\""}
         |
         |    key: str
         |    python_name: str
         |
         |
         |OPTIONS: Final[tuple[Option, ...]] = (
         |""".stripMargin,
      "",
      ")\n"
    )
}
