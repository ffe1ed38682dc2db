package io.github.dynamickafka.spark.offsets

import scala.util.{Failure, Try}

import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.fakes.{HostileTexts, Offsets}

/** Manipulated checkpoints. */
class HostileOffsetsSuite extends HostileTexts {
  private def inFewWords(why: String): Unit = assert(why.nonEmpty && why.length < 2000, why.take(3000))

  private def refused(text: String): Unit = Try(OffsetJson.read(text)) match {
    case Failure(e: DynamicKafkaException) =>
      assertEquals(e.condition, Condition.OffsetVersion: Condition)
      assert(e.getMessage.length < 2000, e.getMessage)
    case other => fail(s"not refused: $other")
  }

  property("whatever is written into an offset, it is read as one or refused in a few words") {
    forAllNoShrink(Offsets.all.flatMap(held => changed(OffsetJson.write(held)))) { text =>
      if (!Try(OffsetJson.read(text)).toOption.exists(held => OffsetJson.read(OffsetJson.write(held)) == held))
        refused(text)
    }
  }

  property("whatever is written into the text of starting or ending offsets, it has a meaning or is refused") {
    val rule = """{"eu-1":{"orders":{"0":1200,"*":{"committed":"g","otherwise":{"timestamp":7}}}},"us-1":"earliest"}"""
    forAllNoShrink(changed(rule)) { text =>
      OffsetRuleText.rule(text).left.foreach(inFewWords)
      OffsetRuleText.cluster(text).left.foreach(inFewWords)
    }
  }

  test("names and values of a megabyte in starting offsets are refused in a few words") {
    val long = "9" * 1000000
    Seq(
      long,
      s"""{"eu-1":{"orders":{"$long":7}}}""",
      s"""{"eu-1":{"orders":{"0":$long}}}""",
      s"""{"eu-1":{"$long":"$long"}}""",
      s"""{"eu-1":{"orders":{"*":{"committed":"$long"}}}}""",
      s"""{"eu-1":{"orders":{"*":{"committed":"g","otherwise":{"$long":7}}}}}"""
    ).foreach(text => inFewWords(OffsetRuleText.rule(text).left.getOrElse(fail("not refused"))))
  }

  test("an offset that is nested, long or numbered beyond all measure is refused in a few words") {
    val start = """{"version":1,"clusters":"""
    Seq(
      start + "[" * 100000,
      start + """{"a":""" * 100000,
      start + "9" * 1000000 + "}",
      start + "\"" + "x" * 1000000 + "\"}",
      """{"version":""" + "9" * 900 + "}",
      start + """{"eu":{"topics":{"t":{"stream":"s","partitions":{"0":[""" + "9" * 900 + ",0,0]}}}}}}",
      start + """{"eu":{"topics":{"t":{"stream":"s","partitions":{"0":[0,-1,0]}}}}}}"""
    ).foreach(refused)
  }
}
