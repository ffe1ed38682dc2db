package io.github.dynamickafka.spark.plan

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.{ClusterTokens, LeftOverPolicy}

/** The text of the way out. A scenario checks that the pasted option works. */
class RecoveryAdviceSuite extends FunSuite {
  private val one = "00000000000000aa"
  private val two = "00000000000000bb"

  private def out(tokens: (String, String)*)(abandoned: String*): RecoveryAdvice =
    RecoveryAdvice(tokens.map { case (id, token) => ClusterId(id) -> token }.toMap, abandoned.map(ClusterId(_)).toSet)

  private def text(out: RecoveryAdvice, failed: String*): String =
    out.text(failed.map(ClusterId(_)).toSet).map(_.text).getOrElse(fail("there is no way out"))

  test("all forms are there, and name the cluster with its token") {
    assertEquals(
      out(
        "eu-1" -> one,
        "us-1" -> two
      )().giveUp(Set(ClusterId("eu-1"))).map(_.text).getOrElse(fail("there is no way out")),
      "To abandon for good what this batch reads of cluster eu-1, start the query again with " +
        s"""--conf 'spark.datasource.dynamic-kafka.abandonClusters={"eu-1":"$one"}', """ +
        s"""or .option("abandonClusters", '{"eu-1":"$one"}'), or .abandon_clusters({"eu-1":"$one"})."""
    )
  }

  test("several that failed, and those given up before, are in one option") {
    val said = text(out("a" -> one, "b" -> two, "c" -> one, "d" -> two)("a"), "c", "b")
    assert(said.contains("clusters b, c"), said)
    assert(said.contains(s"""{"a":"$one","b":"$two","c":"$one"}"""), said)
  }

  test("any characters of a cluster's id survive the shell and the literal they are pasted into") {
    val said = text(out("it's \"b\\1\"" -> one)(), "it's \"b\\1\"")
    assert(said.contains(s"""abandonClusters={"it'\\''s \\"b\\\\1\\"":"$one"}'"""), said)
    assert(said.contains(s"""'{"it\\'s \\\\"b\\\\\\\\1\\\\"":"$one"}')"""), said)
    assertEquals(
      ClusterTokens.parse(ClusterTokens.text(Map(ClusterId("it's \"b\\1\"") -> one))),
      Right(Map(ClusterId("it's \"b\\1\"") -> one))
    )
  }

  test("the option that loses nothing comes first, unless it is set already") {
    val waits  = out("eu-1" -> one)()
    val defers = waits.copy(leftOver = LeftOverPolicy.Defer)
    assert(
      text(waits, "eu-1").startsWith("To go on without that part now, and read it later"),
      text(waits, "eu-1")
    )
    assert(text(waits, "eu-1").contains("leftOverPolicy=defer"), text(waits, "eu-1"))
    assertEquals(Some(text(defers, "eu-1")), waits.giveUp(Set(ClusterId("eu-1"))).map(_.text))
  }

  test("where there is no batch to be planned again there is no way out") {
    assertEquals(RecoveryAdvice.none.text(Set(ClusterId("eu-1"))), None)
  }
}
