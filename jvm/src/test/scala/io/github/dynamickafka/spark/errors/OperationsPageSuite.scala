package io.github.dynamickafka.spark.errors

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import munit.FunSuite

/** docs/operations.md names every condition. */
class OperationsPageSuite extends FunSuite {
  private lazy val root: Path =
    Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent).find(dir => Files.exists(dir.resolve("build.sbt"))).get

  private lazy val page: String = Files.readString(root.resolve("docs").resolve("operations.md"))

  test("every condition is on the page") {
    assertEquals(Condition.all.map(_.name).filterNot(name => page.contains(s"`$name`")), Nil)
  }

  test("the page names no condition that there is not") {
    val named = "`(DYNAMIC_KAFKA_[A-Z_]+)`".r.findAllMatchIn(page).map(_.group(1)).toSet
    // Some conditions exist only in the Python package, such as that of a damaged checkpoint.
    val errors = Files.readString(root.resolve("python/src/dynamic_kafka/errors.py"))
    val python = "condition = \"(DYNAMIC_KAFKA_[A-Z_]+)\"".r.findAllMatchIn(errors).map(_.group(1)).toSet
    assertEquals(named -- Condition.all.map(_.name) -- python, Set.empty[String])
  }

  test("every metric is on the page") {
    val folder  = root.resolve("jvm/src/main/scala/io/github/dynamickafka/spark/metrics")
    val source  = Using.resource(Files.list(folder))(_.iterator.asScala.map(Files.readString).mkString)
    val metrics = "\"((?:cluster\\.\\$id\\.)?[a-zA-Z]+)\"\\s*->".r.findAllMatchIn(source).map(_.group(1).replace(
      "$id",
      "<id>"
    )).toSet
    assert(metrics.size > 10, metrics)
    assertEquals(metrics.filterNot(name => page.contains(s"`$name`")), Set.empty[String])
  }
}
