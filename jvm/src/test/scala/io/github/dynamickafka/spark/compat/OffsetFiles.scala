package io.github.dynamickafka.spark.compat

import java.nio.file.{Files, Path, Paths}
import java.nio.file.StandardOpenOption.{APPEND, CREATE}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.options.OptionsPage

/** The offsets that releases wrote, a line each, after its name. As a program it adds the missing lines and does not
  * change the others:
  *
  * {{{ project/sbt 'thin/Test/runMain io.github.dynamickafka.spark.compat.OffsetFiles' }}}
  */
object OffsetFiles {
  val folder: Path = OptionsPage.top(Paths.get("").toAbsolutePath).resolve("tests/compat")

  def of(version: String): Path = folder.resolve(version).resolve("offsets.txt")

  /** By name, the texts of one version. */
  def texts(version: String): Map[String, String] =
    if (!Files.exists(of(version))) Map.empty
    else Files.readAllLines(of(version)).asScala.map { line =>
      val (name, text) = line.splitAt(line.indexOf(' '))
      name -> text.drop(1)
    }.toMap

  def main(args: Array[String]): Unit = for {
    (version, offsets) <- KeptOffsets.all
    (name, offset)     <- offsets -- texts(version).keySet
  } {
    Files.createDirectories(of(version).getParent)
    Files.writeString(of(version), s"$name ${OffsetJson.write(offset)}\n", CREATE, APPEND)
    println(s"added $name to ${of(version)}")
  }
}
