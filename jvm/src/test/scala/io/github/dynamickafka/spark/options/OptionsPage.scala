package io.github.dynamickafka.spark.options

import java.nio.file.{Files, Path}

/** The generated files that are made of the options. */
object OptionsPage {
  private val Head =
    """# Options
      |
      |<!-- Generated; never edited: `make docs`. -->
      |
      |All options of the source, by topic, and how to write them.
      |
      |The case of letters does not count. In Python an option is a method of the builder, in snake_case: `stream_ids`. In
      |the session's configuration it is `spark.datasource.dynamic-kafka.<option>`; the reader's own options win.
      |
      |A duration has a unit: `100ms`, `10s`, `5m`, `1h`, `7d`. A number is whole. Both are above 0, unless the option says otherwise.
      |`load()` reports all wrong options at once.
      |
      |""".stripMargin

  /** The generated files below the root that are out of date, each with the text that it should have. */
  def outdated(root: Path): Seq[(Path, String)] = {
    val python = root.resolve("python/src/dynamic_kafka")
    val pages  = Seq(
      root.resolve("docs/options.md")               -> (Head + OptionSections.markdown),
      root.resolve("docs/reference/one-cluster.md") -> PeerOptionsPage.markdown,
      python.resolve("_options.py")                 -> OptionTable.python,
      python.resolve("_option_methods.py")          -> BuilderMethods.python,
      root.resolve("jvm/src/main/scala/io/github/dynamickafka/spark/OptionMethods.scala") -> BuilderMethods.scala
    )
    pages.filter { case (file, text) => !content(file).contains(text) }
  }

  /** The nearest folder, from here upwards, that contains the build. */
  def top(from: Path): Path =
    Iterator.iterate(from)(_.getParent).takeWhile(_ != null).find(dir =>
      Files.exists(dir.resolve("build.sbt"))
    ).getOrElse(
      throw new IllegalStateException(s"no build.sbt in $from or above it")
    )

  private def content(file: Path): Option[String] = Option.when(Files.exists(file))(Files.readString(file))
}
