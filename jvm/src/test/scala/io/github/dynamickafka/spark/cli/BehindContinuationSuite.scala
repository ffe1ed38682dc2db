package io.github.dynamickafka.spark.cli

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{
  Continuation,
  Deferred,
  DeferredJson,
  MirrorFinding,
  MirrorFindings,
  MirrorLag,
  OffsetJson,
  OffsetPoint,
  OffsetRule,
  SourceOffset
}
import io.github.dynamickafka.spark.reconcile.MovingLog
import io.github.dynamickafka.spark.topology.Topology

/** `offsets CHECKPOINT` while a mirror is held because it is behind: it had the records up to 7, the query has read up to
  * 10, and producers have written 7 to 20 to the mirror since.
  */
class BehindContinuationSuite extends FunSuite with MovingLog {
  private val line = listed("new" -> next.startingAt("""{"orders":{"0":7,"1":10}}"""))
  private val rest = Vector("new orders 0 7-20", "new orders 1 10-20")
  private val held = query.sees(moved)(mirror(7, 10)).read.held

  // The driver was stopped before it could log that.
  private val found = Deferred(
    PartitionMap.empty,
    mirrored =
      MirrorFindings.of(Seq(ClusterId("new") -> (partition("eu", "orders", 0) -> MirrorFinding(MirrorLag(7, 10), 0))))
  )

  private def request(committed: SourceOffset, kept: Option[Deferred], logged: Option[SourceOffset] = None): Request = {
    val deferred = DeferredJson.write(kept.getOrElse(Deferred.nothing))
    val texts    = Seq("offset" -> OffsetJson.write(committed), "deferred" -> deferred)
    Request.read(Json.obj(texts ++ logged.map("logged" -> OffsetJson.write(_)): _*).toString)
  }

  /** What a new query reads first that begins as the command prints. */
  private def again(now: Topology, logged: SourceOffset, kept: Option[Deferred]): Vector[String] = {
    val starting = Continuation.of(request(logged, kept).reached.get).starting
    Query(fromEarliest.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), starting)))
      .sees(now)(mirror(20, 20)).ranges
  }

  for (
    (what, now)               <- Seq("without a line" -> moved, "with the line that it waited for" -> line);
    (where, (logged, record)) <- Seq(
      "logged"                   -> (held       -> None),
      "recorded beside the logs" -> (query.held -> Some(found))
    )
  ) test(s"a new query misses no record of the mirror's own, and reads none twice, $what, where that is $where") {
    assertEquals(again(now, logged, record), rest)
  }

  test("nor where another batch is logged that is not committed") {
    val later = query.sees(old)(eu(12, 10)).read.held
    val start = Continuation.of(request(query.held, Some(found), Some(later)).reached.get).starting
    val again = Query(fromEarliest.copy(starting = OffsetRule(Some(OffsetPoint.Earliest), start)))
    assertEquals(again.sees(moved)(mirror(20, 20)).ranges, rest)
  }

  test("nobody is asked to copy the offsets of the earlier id to the mirror") {
    assertEquals(OffsetsCommand.json(request(held, None)).path("notBegun").toString, "[]")
  }

  test("control: the query itself reads from the line on, and nothing without one") {
    val query = Query(fromEarliest, held)
    assertEquals(query.sees(moved)(mirror(20, 20)).ranges, Vector.empty)
    assertEquals(query.sees(line)(mirror(20, 20)).ranges, rest)
  }
}
