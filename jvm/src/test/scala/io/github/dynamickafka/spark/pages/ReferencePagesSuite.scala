package io.github.dynamickafka.spark.pages

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import munit.FunSuite

import io.github.dynamickafka.spark.metrics.Metric
import io.github.dynamickafka.spark.options.OptionsPage

class ReferencePagesSuite extends FunSuite {
  private lazy val root: Path = OptionsPage.top(Paths.get("").toAbsolutePath)

  test("every generated file of this tree is up to date") {
    assertEquals(ReferencePages.outdated(root).map(_._1), Nil)
  }

  test("the metrics that are declared are those that the code reports") {
    val folder = root.resolve("jvm/src/main/scala/io/github/dynamickafka/spark/metrics")
    val files  = Using.resource(Files.list(folder))(_.iterator.asScala.filterNot(_.endsWith("Metric.scala")).toVector)
    val named  = "\"((?:cluster\\.\\$id\\.)?[a-zA-Z]+)\"\\s*->".r
    val found  = files.flatMap(file => named.findAllMatchIn(Files.readString(file)).map(_.group(1))).toSet
    assertEquals(found.map(_.replace("$id", "<id>")), Metric.all.map(_.name).toSet)
  }

  test("no metric is declared twice") {
    assertEquals(Metric.all.map(_.name).diff(Metric.all.map(_.name).distinct), Nil)
  }

  test("a condition of Python that the page lacks, or that has no class, fails") {
    val classes = Files.readString(root.resolve(ErrorsPage.PythonClasses))
    val named   = "condition(?:: str)? = \"(DYNAMIC_KAFKA_[A-Z_]+)\"".r.findAllMatchIn(classes).map(_.group(1)).toSet
    val page    = ErrorsPage.markdown(classes)
    assertEquals(named.filterNot(name => page.contains(s"### $name\n")), Set.empty[String])
    intercept[NoSuchElementException](ErrorsPage.markdown(classes.replace(
      "DYNAMIC_KAFKA_DATA_LOSS",
      "DYNAMIC_KAFKA_GONE"
    )))
  }

  test("what is explained in a terminal has each condition of the page, and no link of Markdown") {
    val classes = Files.readString(root.resolve(ErrorsPage.PythonClasses))
    val texts   = ErrorsPage.json(classes)
    val headed  = "(?m)^### (\\w+)$".r.findAllMatchIn(ErrorsPage.markdown(classes)).map(_.group(1)).toVector
    assertEquals("\"condition\": \"(\\w+)\"".r.findAllMatchIn(texts).map(_.group(1)).toVector, headed)
    assert(!texts.contains("]("))
    assertEquals(ReferenceLinks.plain("see [`a` b](c.md#d)."), "see `a` b (docs/c.md#d).")
  }

  test("a link of a text leads out of the folder of the page, or stays in it") {
    assertEquals(ReferenceLinks.of("[a](b.md#c)"), "[a](../b.md#c)")
    assertEquals(ReferenceLinks.of("[a](reference/b.md#c)"), "[a](b.md#c)")
  }
}
