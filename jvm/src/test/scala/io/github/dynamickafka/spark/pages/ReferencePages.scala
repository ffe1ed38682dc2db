package io.github.dynamickafka.spark.pages

import java.nio.file.{Files, Path, Paths}

import io.github.dynamickafka.spark.options.OptionsPage

/** Writes the generated files of this repository, or checks that they are up to date: `make docs`, `make check`. */
object ReferencePages {

  def main(args: Array[String]): Unit = {
    val root = OptionsPage.top(Paths.get("").toAbsolutePath)
    args.toSeq match {
      case Seq("write") => outdated(root).foreach { case (file, text) => write(file, text) }
      case Seq("check") => check(root)
      case other => throw new IllegalArgumentException(s"expected `write` or `check`, found ${other.mkString(" ")}")
    }
  }

  /** The generated files below the root that are out of date, each with the text that it should have. */
  def outdated(root: Path): Seq[(Path, String)] = {
    val reference = root.resolve("docs/reference")
    val python    = Files.readString(root.resolve(ErrorsPage.PythonClasses))
    val pages     = Seq(
      reference.resolve("metrics.md")      -> MetricsPage.markdown,
      reference.resolve("errors.md")       -> ErrorsPage.markdown(python),
      root.resolve(ErrorsPage.PythonTexts) -> ErrorsPage.json(python)
    )
    OptionsPage.outdated(root) ++ pages.filterNot { case (file, text) =>
      Files.exists(file) && Files.readString(file) == text
    }
  }

  private def check(root: Path): Unit = {
    val files = outdated(root).map { case (file, _) => root.relativize(file) }
    if (files.nonEmpty) throw new IllegalStateException(s"out of date: ${files.mkString(", ")}; run `make docs`")
  }

  private def write(file: Path, text: String): Unit = {
    Files.createDirectories(file.getParent)
    Files.writeString(file, text)
    println(s"wrote $file")
  }
}
