package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** Random histories of two clusters that have nothing in common, and of a `continues` that comes by mistake and is taken
  * away again, while clusters are paused, are down, drivers crash and batches are limited.
  *
  * Left out: a mistake that lasts longer than `removedClusterRetention`, or until the other cluster is taken off.
  */
class MistakenLineHistoriesSuite extends ManyHistories {
  import MistakenLineHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    10 -> Gen.zip(Gen.option(Gen.choose(1L, 5L)), Gen.someOf(ids)).map { case (limit, down) =>
      Trigger(limit, down.toSet)
    },
    6 -> Gen.zip(Gen.oneOf(ids), Gen.choose(1, 6)).map((Write.apply _).tupled),
    3 -> Gen.oneOf(true, false).map(Line(_)),
    2 -> Gen.someOf(ids).map(some => Paused(some.toSet)),
    1 -> Gen.const(Crash)
  )

  property("a line that comes by mistake and goes again costs no record, and none is read twice") {
    forAll(Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))) { history =>
      val calm = Seq(Line(false), Paused(Set.empty), Trigger(None, Set.empty), Trigger(None, Set.empty))
      val run  = (history ++ calm).foldLeft(Run(Query(skipping)))(_ after _)
      assertEquals(run.read, run.ends.map { case (id, end) => id -> end.toLong })
      Prop.passed
    }
  }

  private case class Run(
      query: Query,
      ends: Map[String, Int] = ids.map(_ -> 1).toMap,
      read: Map[String, Long] = ids.map(_ -> 0L).toMap,
      line: Boolean = false,
      paused: Set[String] = Set.empty
  ) {
    def after(move: Move): Run = move match {
      case Write(id, count) => copy(ends = ends.updated(id, ends(id) + count))
      case Line(there)      => copy(line = there)
      case Paused(some)     => copy(paused = some)
      case Crash            => copy(query = query.copy(known = LastKnown.nothing))
      case look: Trigger    => looked(look)
    }

    private def topology = listed(ids.map { id =>
      val own = if (line && id == "us") topics("t").continuing("eu") else topics("t")
      id -> (if (paused(id)) own.paused else own)
    }: _*)

    private def looked(look: Trigger): Run = {
      val answers = ids.map { id =>
        id -> (if (look.down(id)) down else answer("t" -> has(0 -> ends(id)).of(s"T-$id")).of(s"K-$id"))
      }
      val seen = query.after(Duration.ofMillis(1)).sees(topology)(answers: _*)
      val next = seen.readSome(_.map { case (id, until) => id -> limited(id, until, look.limit) })
      assertEquals(OffsetJson.read(OffsetJson.write(next.held)), next.held)
      OffsetRanges.between(query.held, next.held).foldLeft(copy(query = next)) { (run, range) =>
        val id = range.id.cluster.value
        assertEquals(range.from, run.read(id), s"$range does not follow what was read")
        run.copy(read = run.read.updated(id, range.until))
      }
    }

    private def limited(id: PartitionId, until: Long, limit: Option[Long]): Long =
      limit.fold(until)(most => Math.min(until, read(id.cluster.value) + most))
  }
}

object MistakenLineHistoriesSuite {
  private val ids = Vector("eu", "us")

  sealed trait Move                                                extends Product with Serializable
  final case class Write(id: String, count: Int)                   extends Move
  final case class Line(there: Boolean)                            extends Move
  final case class Paused(ids: Set[String])                        extends Move
  final case class Trigger(limit: Option[Long], down: Set[String]) extends Move
  case object Crash                                                extends Move
}
