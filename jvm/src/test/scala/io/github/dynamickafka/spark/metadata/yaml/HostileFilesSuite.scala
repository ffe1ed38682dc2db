package io.github.dynamickafka.spark.metadata.yaml

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.fakes.HostileTexts

/** Hostile files of streams. */
class HostileFilesSuite extends HostileTexts {
  private val good =
    """- streamId: orders
      |  clusterMetadataList:
      |    - clusterId: eu-1
      |      bootstrapServers: b1:9092
      |      topics: [orders, "2024"]
      |      properties: {security.protocol: SASL_SSL, sasl.jaas.config: "${env:EU1_JAAS}"}
      |      startingOffsets: {orders: {"0": 12, "*": {committed: g, otherwise: {timestamp: 7}}}}
      |      active: true
      |      continues: [eu-0]
      |      paused: [orders]
      |""".stripMargin

  private val planted = s"!!${classOf[Planted].getName} [x]"

  // What means something in YAML.
  private val pieces =
    Seq("&a ", "*a", "<<: *a", "---\n", "%YAML 9.9\n", ": ", "\n", "\t", "|\n", "- " * 3000, "? " * 3000) ++
      Seq(planted, "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[]]]")

  property("whatever is written into a file, it is read or refused with its problems") {
    forAllNoShrink(changed(good, pieces: _*)) { text =>
      StreamsFile.parse(text).left.foreach { problems =>
        assert(problems.nonEmpty)
        assert(problems.forall(_.toString.length < 20000))
      }
      assertEquals(Planted.made.get, 0, "a file has no objects made")
    }
  }

  test("characters of two halves are read wherever they stand, and halves of them refused") {
    def problems(text: String): Vector[String] = StreamsFile.parse(text).fold(_.map(_.toString), _ => Vector.empty)
    for (length <- 1000 to 1100) {
      assertEquals(problems("#" + "x" * length + "\uD83D\uDE00" * 3 + "\n[]"), Vector.empty)
      assert(problems("#" + "x" * length + "\uD83D" * 3 + "\n[]").nonEmpty)
    }
    assert(problems("[]\uD83D").nonEmpty)
  }

  test("a tag names no class, wherever it stands") {
    Seq(planted, good.replace("b1:9092", planted), good.replace("{orders:", s"{$planted:")).foreach { text =>
      assert(StreamsFile.parse(text).isLeft, text)
    }
    assertEquals(Planted.made.get, 0)
  }

  test("what is nested deeper than any file of streams needs is refused by its line") {
    val deep = good.replace("{timestamp: 7}", "{a: " * 60 + "1" + "}" * 60)
    assertEquals(StreamsFile.parse(deep).left.map(_.map(_.toString)), Left(Vector("line 7: it is nested too deep")))
  }

  test("a file without an end is given up") {
    val endless = Path.of("/dev/zero")
    assume(Files.exists(endless))
    val failure = intercept[java.io.IOException](FileText.read(endless.toString))
    assert(failure.getMessage.contains("holds more than"), failure.getMessage)
  }
}

/** Records whether an object was created. */
final class Planted(val text: String) {
  Planted.made.incrementAndGet()
}

object Planted {
  val made = new AtomicInteger
}
