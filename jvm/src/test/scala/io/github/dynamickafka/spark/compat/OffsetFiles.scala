package io.github.dynamickafka.spark.compat

import java.nio.file.{Files, Path, Paths, StandardOpenOption}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.options.OptionsPage

/** The offsets that releases wrote, as files. As a program it writes the missing files and does not change the others:
  *
  * {{{ project/sbt 'thin/Test/runMain io.github.dynamickafka.spark.compat.OffsetFiles' }}}
  */
object OffsetFiles {
  val folder: Path = OptionsPage.top(Paths.get("").toAbsolutePath).resolve("tests/compat")

  def of(version: String): Path = folder.resolve(version).resolve("offsets")

  /** By name, the texts of one version. */
  def texts(version: String): Map[String, String] =
    if (!Files.isDirectory(of(version))) Map.empty
    else {
      val files = Files.list(of(version)).iterator.asScala.toVector
      files.map(file =>
        file.getFileName.toString.stripSuffix(".json") -> Files.readString(file).stripSuffix("\n")
      ).toMap
    }

  def main(args: Array[String]): Unit = for {
    (version, offsets) <- KeptOffsets.all
    (name, offset)     <- offsets -- texts(version).keySet
  } {
    val file = of(version).resolve(s"$name.json")
    Files.createDirectories(file.getParent)
    // Fails instead of replacing a file: what a release wrote must always be read as it was written.
    Files.writeString(file, OffsetJson.write(offset) + "\n", StandardOpenOption.CREATE_NEW)
    println(s"wrote $file")
  }
}
