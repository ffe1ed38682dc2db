package io.github.dynamickafka.spark.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.file.Files

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.{
  Begun,
  BegunJson,
  Continuation,
  OffsetJson,
  OffsetPoint,
  OffsetRule,
  SourceOffset
}
import io.github.dynamickafka.spark.reconcile.BatchKind
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** `offsets CHECKPOINT` of a query of Real-Time Mode that was stopped in a batch: Spark logs nothing of such a batch, but
  * what has begun in it stands in `sources/0/realtime`.
  */
class BegunContinuationSuite extends FunSuite {
  private val realTime = skipping.copy(failOnDataLoss = false, batches = BatchKind.RealTime)
  private val eu       = listed("eu" -> topics("orders"))
  private val first    =
    Query(realTime).sees(eu)("eu" -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1")).read

  /** What a new query reads first that begins as the command prints, given what the checkpoint has. */
  private def printed(committed: SourceOffset, kept: Begun, now: Topology, answers: (String, ClusterObservation)*) = {
    val request = Json.obj(
      "offset" -> OffsetJson.write(committed),
      "begun"  -> BegunJson.write(kept)
    )
    val source   = Request.read(request.toString)
    val held     = source.reached.get
    val starting = Continuation.of(held).starting
    val next = Query(skipping.copy(failOnDataLoss = false, starting = OffsetRule(Some(OffsetPoint.Earliest), starting)))
    (next.sees(now)(answers: _*).ranges, OffsetsCommand.json(source).path("starting").toString)
  }

  /** What the query itself reads first where it starts again. */
  private def restarted(committed: SourceOffset, kept: Begun, now: Topology, answers: (String, ClusterObservation)*) =
    Query(skipping.copy(failOnDataLoss = false), held = kept.from(committed)).sees(now)(answers: _*).ranges

  private def check(now: Topology)(before: (
      String,
      ClusterObservation
  )*)(after: (String, ClusterObservation)*): Unit = {
    // The border: the batch begins with this, durably, and moves no position.
    val begun = first.sees(now)(before: _*).offset
    val kept  = Begun.of(first.held, begun)
    assert(kept.batch.isDefined)
    val (ranges, text) = printed(first.held, kept, now, after: _*)
    assertEquals(ranges, restarted(first.held, kept, now, after: _*), text)
  }

  test("a cluster that was renamed as the batch began is not read again from its first record") {
    val renamed        = listed("new" -> topics("orders").continuing("eu"))
    def seen(end: Int) = "new" -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
    check(renamed)(seen(1000))(seen(1200))
  }

  test("of a topic that was created again as the batch began no record is left out") {
    def seen(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T2")).of("K1")
    check(eu)(seen(50))(seen(1200))
  }

  test("a cluster that began at its end is not read from its first record") {
    val more           = listed("eu" -> topics("orders"), "us" -> topics("orders").startingAt("latest"))
    val bare           = listed("eu" -> topics("orders"), "us" -> topics("orders"))
    val old            = "eu" -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1")
    def us(end: Int)   = "us" -> answer("orders" -> has(0 -> end).of("T2")).of("K2")
    val begun          = first.sees(more)(old, us(5000)).offset
    val kept           = Begun.of(first.held, begun)
    val (ranges, text) = printed(first.held, kept, bare, old, us(5100))
    assertEquals(ranges, restarted(first.held, kept, bare, old, us(5100)), text)
  }

  test("there is no way back to Spark's own source in such a batch") {
    val begun = first.sees(eu)("eu" -> answer("orders" -> has(0 -> 50).of("T2")).of("K1")).offset
    val old   = Files.createTempDirectory("old")
    Seq("offsets", "commits", "sources/0/realtime").foreach(name => Files.createDirectories(old.resolve(name)))
    Files.writeString(old.resolve("metadata"), """{"id":"7c1b8e5e-0000-4000-8000-000000000000"}""")
    Files.writeString(old.resolve("offsets/0"), s"v1\n{}\n${OffsetJson.write(first.held)}")
    Files.writeString(old.resolve("commits/0"), "v1\n{}")
    Files.writeString(old.resolve("sources/0/realtime/1"), BegunJson.write(Begun.of(first.held, begun)))
    val request = Json.obj(
      "old"     -> old.toString,
      "new"     -> Files.createTempDirectory("new").resolve("checkpoint").toString,
      "batch"   -> "0",
      "sources" -> Vector("0"),
      "write"   -> false
    )
    val replies = new Replies(new PrintStream(new ByteArrayOutputStream))
    val error   = intercept[DynamicKafkaException](new AdoptCommand(Request.read(request.toString), replies).run)
    assert(error.getMessage.contains("a batch of Real-Time Mode has begun with more than that"), error.getMessage)
  }
}
