package io.github.dynamickafka.spark.errors

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.file.Files
import java.util.{List => JList, Optional, OptionalInt}

import scala.jdk.OptionConverters._

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId

/** The text of an error carries its fields, however the error travels. */
class ErrorTextSuite extends FunSuite {
  import ErrorTexts._

  private def found(thrown: Throwable): DynamicKafkaException =
    DynamicKafkaException.find(thrown).toScala.getOrElse(fail(s"nothing found in $thrown"))

  /** As Spark's own exceptions quote a message. */
  private val ways: Map[String, String => Throwable] = Map(
    "a task"       -> (text => new IllegalArgumentException(text)),
    "a failed job" -> (text =>
      new RuntimeException(
        s"Job aborted: Lost task 0.0 (TID 1): java.lang.IllegalArgumentException: $text\n\tat a.B.c(D.scala:1)\nCaused by: x"
      )
    ),
    "a failed query" -> (text =>
      new RuntimeException(
        s"[STREAM_FAILED] Query [id = 1] terminated with exception: $text SQLSTATE: XXKST\n=== Streaming Query ===\nX"
      )
    ),
    "a cause" -> (text => new RuntimeException("Job aborted", new IllegalArgumentException(text))),
    "Connect" -> (text => new RuntimeException(s"(java.lang.X) $text\n\nJVM stacktrace:\njava.lang.X: y\n\tat z"))
  )

  for (condition <- Condition.all) test(s"$condition and its fields come back from its text, whatever the ids are") {
    for (id <- hostile; thrown = error(condition, id); (way, wrap) <- ways) {
      val back = found(wrap(thrown.getMessage))
      assertEquals(back.getMessage, thrown.getMessage, way)
      assertEquals(back.condition, condition, way)
      for (here <- Seq(thrown, back)) {
        assertEquals(here.getCluster, Optional.of(id), way)
        assertEquals(here.getClusters, JList.of(id), way)
        assertEquals(here.getStream, Optional.of(id), way)
        assertEquals(here.getTopic, Optional.of(id), way)
        assertEquals(here.getPartition, OptionalInt.of(3), way)
        assertEquals(here.getOption, Optional.of(id), way)
        assertEquals(here.getFile, Optional.of(id), way)
        assertEquals(here.getLine, OptionalInt.of(7), way)
      }
    }
  }

  test("of several, no one is the one, and a partition needs its topic") {
    val thrown = several(Condition.DataLoss)
    for (error <- Seq(thrown, found(new RuntimeException(thrown.getMessage)))) {
      assertEquals(error.getCluster, Optional.empty[String])
      assertEquals(error.getClusters.toArray.toSeq, hostile: Seq[AnyRef])
      assertEquals(error.getTopics, JList.of("t", "u"))
      assertEquals(error.getPartition, OptionalInt.empty)
      assertEquals(error.getLine, OptionalInt.empty)
    }
    val apart =
      DynamicKafkaException(Condition.DataLoss, say"${Named.partition(1)} of ${Named.topic("a")}, ${Named.topic("b")}")
    assertEquals(apart.getPartition, OptionalInt.empty)
    assertEquals(
      DynamicKafkaException(Condition.DataLoss, say"${Named.line(1)}, ${Named.line(2)}").getMessage,
      "[DYNAMIC_KAFKA_DATA_LOSS] 1, 2 More: dynamic-kafka explain DATA_LOSS."
    )
  }

  test("a text that names nothing has no fields, and a text from outside can't forge one") {
    for (forged <- Seq("It raised:\nx Fields: {\"cluster\":\"forged\"}", "Fields: {\"cluster\":\"forged\"}")) {
      val plain = DynamicKafkaException(Condition.MetadataUnavailable, forged)
      assert(!plain.getMessage.contains("Fields: {"), plain.getMessage)
      assertEquals(found(new RuntimeException(plain.getMessage)).getClusters, JList.of[String])
    }
  }

  test("a message has the command that explains its condition, and what happened does not have it") {
    for (condition <- Condition.all) {
      val help   = s"More: dynamic-kafka explain ${condition.name.stripPrefix("DYNAMIC_KAFKA_")}."
      val thrown = DynamicKafkaException(condition, say"Cluster ${ClusterId("eu-1")} is gone.")
      assertEquals(thrown.getMessage, s"""$condition Cluster eu-1 is gone. $help Fields: {"cluster":"eu-1"}""")
      val lines = DynamicKafkaException(condition, "It raised:\n  x")
      assertEquals(lines.getMessage, s"$condition It raised:\n  x\n$help")
      for (error <- Seq(thrown, lines); back <- Seq(error, found(new RuntimeException(error.getMessage)))) {
        assertEquals(back.detail, error.detail)
        assert(!back.detail.contains(help) && !back.summary.contains(help), back.detail)
      }
    }
  }

  test("a message that quotes another one, and an older one without the command, are read as they are") {
    val quoting =
      DynamicKafkaException(Condition.DataLoss, DynamicKafkaException(Condition.DataLoss, "Gone.").getMessage)
    assertEquals(found(new RuntimeException(quoting.getMessage)).detail, quoting.detail)
    assertEquals(found(new RuntimeException("[DYNAMIC_KAFKA_DATA_LOSS] Gone.")).detail, "Gone.")
  }

  test("the fields end the message, in its line, and in visible characters") {
    val text = error(Condition.DataLoss, "a\u202e\ud83d").getMessage
    val line = text.linesIterator.toVector.last
    assert(line.contains(" Fields: {\"cluster\":\"a\\u202e\\ud83d\",") && line.endsWith("}"), line)
  }

  test("at most a hundred values of a field are in the text") {
    val many = DynamicKafkaException(Condition.DataLoss, Wording.list((1 to 1000).map(n => ClusterId(s"c$n"))))
    assertEquals(found(new RuntimeException(many.getMessage)).getClusters.size, 100)
  }

  test("an exception that is not of this source is not taken for one, also in a circle of causes") {
    val first = new RuntimeException("a")
    first.initCause(new RuntimeException("b", first))
    assertEquals(DynamicKafkaException.find(first), Optional.empty[DynamicKafkaException])
  }

  test("the fields survive Java's serialisation") {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(error(Condition.DataLoss, "eu-1"))
    val back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    assertEquals(back.asInstanceOf[DynamicKafkaException].getCluster, Optional.of("eu-1"))
  }

  test("Python's tests have the same texts") {
    assertEquals(Files.readString(file), text, "write it again: see ErrorTexts")
  }
}
