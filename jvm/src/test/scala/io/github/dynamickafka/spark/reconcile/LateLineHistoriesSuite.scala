package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** Random histories of a cluster and a mirror that has all its records, and may have more partitions. The mirror says that it
  * continues the other one, or does not yet. Both are listed and taken off in any order.
  */
class LateLineHistoriesSuite extends ManyHistories {
  import LateLineHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    10 -> Gen.zip(Gen.option(Gen.choose(1L, 5L)), Gen.someOf(ids)).map { case (limit, down) =>
      Trigger(limit, down.toSet)
    },
    6 -> Gen.zip(Gen.choose(0, 3), Gen.choose(1, 6)).map((Write.apply _).tupled),
    1 -> Gen.zip(Gen.oneOf(ids), Gen.choose(0, 3), Gen.choose(1, 6)).map((Age.apply _).tupled),
    1 -> Gen.oneOf(ids).map(Widen(_)),
    3 -> Gen.oneOf(true, false).map(Line(_)),
    4 -> Gen.someOf(ids).map(some => Lists(some.toSet)),
    1 -> Gen.someOf(ids).map(some => Paused(some.toSet)),
    1 -> Gen.const(Crash)
  )

  property("whenever the line comes, no record is left out, and no offset goes backwards") {
    forAll(
      Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop),
      Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))
    ) {
      (removal, history) =>
        val policy = skipping.copy(failOnDataLoss = false, removal = skipping.removal.copy(policy = removal))
        val calm   = Seq.fill(8)(Widen("new")) ++ Seq(
          Line(true),
          Paused(Set.empty),
          Lists(Set("eu", "new"))
        ) ++ Seq.fill(2)(Trigger(None, Set.empty)) ++ Seq(Ended) ++
          Seq.fill(3)(Trigger(None, Set.empty)) ++ Seq(Lists(Set("new"))) ++ Seq.fill(3)(Trigger(None, Set.empty))
        val run = ((Trigger(None, Set.empty): Move) +: (history ++ calm)).foldLeft(Run(Query(policy)))(_ after _)
        run.ends.take(run.counts("new")).zipWithIndex.foreach { case (end, n) =>
          val oldest = ids.map(id => run.aged.getOrElse(id -> n, 0)).max
          assertEquals((oldest until end).filterNot(at => run.read(n -> at)), IndexedSeq.empty, s"of partition $n")
        }
        Prop.passed
    }
  }

  /** @param ends of the log's partitions
    * @param counts how many of them each id has
    */
  private case class Run(
      query: Query,
      ends: Vector[Int] = Vector.fill(8)(1),
      counts: Map[String, Int] = Map("eu" -> 1, "new" -> 2),
      aged: Map[(String, Int), Int] = Map.empty,
      read: Set[(Int, Int)] = Set.empty,
      line: Boolean = false,
      lists: Set[String] = ids.toSet,
      ended: Boolean = false,
      paused: Set[String] = Set.empty
  ) {
    def after(move: Move): Run = move match {
      case Write(n, count)  => copy(ends = ends.updated(n, ends(n) + count))
      case Age(id, n, more) => copy(aged = aged.updated(id -> n, Math.min(ends(n), aged.getOrElse(id -> n, 0) + more)))
      case Ended            => copy(ended = true)
      case Widen(id)        => copy(counts = counts.updated(id, Math.min(ends.size, counts(id) + 1)))
      case Line(there)      => copy(line = there)
      case Lists(some)      => copy(lists = some)
      case Paused(some)     => copy(paused = some)
      case Crash            => copy(query = query.copy(known = LastKnown.nothing, last = None))
      case look: Trigger    => looked(look)
    }

    private def topology = listed(lists.toSeq.sorted.map { id =>
      val own  = if (line && id == "new") topics("t").continuing("eu") else topics("t")
      val all  = ends.zipWithIndex.map { case (end, n) => s""""$n": $end""" }.mkString("""{"t": {""", ", ", "}}")
      val said = if (ended && id == "new") own.startingAt(all) else own
      id -> (if (paused(id)) said.paused else said)
    }: _*)

    private def looked(look: Trigger): Run = {
      val answers = ids.map { id =>
        val extents = ends.take(counts(id)).zipWithIndex.map { case (end, n) => aged.getOrElse(id -> n, 0) -> end }
        id -> (if (look.down(id)) down else answer("t" -> has(extents: _*).of(s"T-$id")).of(s"K-$id"))
      }
      val seen = query.after(Duration.ofMillis(1)).sees(topology)(answers: _*)
      val next = seen.readSome(_.map { case (id, until) =>
        id -> look.limit.fold(until)(most => Math.min(until, seen.offset.get(id).get.next + most))
      })
      val more = OffsetRanges.between(query.held, next.held).flatMap { range =>
        assert(range.from >= aged.getOrElse(range.id.cluster.value -> range.id.partition, 0).toLong, range)
        (range.from.toInt until range.until.toInt).map(range.id.partition -> _)
      }
      copy(query = next, read = read ++ more)
    }
  }
}

object LateLineHistoriesSuite {
  private val ids = Vector("eu", "new")

  sealed trait Move                                                extends Product with Serializable
  final case class Write(partition: Int, count: Int)               extends Move
  final case class Age(id: String, partition: Int, count: Int)     extends Move
  final case class Widen(id: String)                               extends Move
  final case class Line(there: Boolean)                            extends Move
  final case class Lists(ids: Set[String])                         extends Move
  final case class Paused(ids: Set[String])                        extends Move
  final case class Trigger(limit: Option[Long], down: Set[String]) extends Move
  case object Ended                                                extends Move
  case object Crash                                                extends Move
}
