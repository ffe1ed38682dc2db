package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** Random histories of two clusters, of which one may say that it continues the other: a mirror that says it late, or a
  * cluster that has nothing in common with the other one and says it by mistake. Clusters are down, drivers crash and
  * batches are limited.
  *
  * Left out: a mistake that lasts until the other cluster is taken off.
  */
class LateLineHistoriesSuite extends ManyHistories {
  import LateLineHistoriesSuite._

  private def moves(logs: Gen[Log]): Seq[(Int, Gen[Move])] = Seq(
    10 -> Gen.zip(Gen.option(Gen.choose(1L, 5L)), Gen.someOf(ids)).map { case (limit, down) =>
      Trigger(limit, down.toSet)
    },
    6 -> Gen.zip(logs, Gen.choose(1, 6)).map((Write.apply _).tupled),
    3 -> Gen.oneOf(true, false).map(Line(_)),
    1 -> Gen.someOf(ids).map(some => Paused(some.toSet)),
    1 -> Gen.const(Crash)
  )

  private val ofMirrors: Gen[Move] = Gen.frequency(moves(Gen.choose(0, 3).map(shared)) ++ Seq[(Int, Gen[Move])](
    1 -> Gen.zip(Gen.oneOf(ids), Gen.choose(0, 3), Gen.choose(1, 6)).map((Age.apply _).tupled),
    1 -> Gen.oneOf(ids).map(Widen(_)),
    4 -> Gen.someOf(ids).map(some => Lists(some.toSet))
  ): _*)

  private def histories(moves: Gen[Move]): Gen[List[Move]] = Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))

  // The mirror may have more partitions, and both are listed and taken off in any order.
  property("whenever the line comes, no record is left out, and none of what only one id has is read twice") {
    forAll(Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop), histories(ofMirrors)) {
      (removal, history) =>
        val policy = skipping.copy(failOnDataLoss = false, removal = skipping.removal.copy(policy = removal))
        val calm   = Seq.fill(8)(Widen("new")) ++ Seq(
          Line(true),
          Paused(Set.empty),
          Lists(Set("eu", "new"))
        ) ++ Seq.fill(2)(Trigger(None, Set.empty)) ++ Seq(Ended) ++
          Seq.fill(3)(Trigger(None, Set.empty)) ++ Seq(Lists(Set("new"))) ++ Seq.fill(3)(Trigger(None, Set.empty))
        val begun =
          Run(Query(policy), (_, n) => shared(n), Map("eu" -> 1, "new" -> 2), (0 until 8).map(shared(_) -> 1).toMap)
        val run = (Trigger(None, Set.empty) +: (history ++ calm)).foldLeft(begun)(_ after _)
        for (n <- 0 until run.counts("new")) {
          val oldest = ids.map(id => run.aged.getOrElse(id -> n, 0)).max
          assertEquals(run.unread(shared(n)).filter(_ >= oldest), IndexedSeq.empty, s"of partition $n")
        }
        Prop.passed
    }
  }

  /** @param log which one an id has as this partition
    * @param counts how many partitions each id has
    * @param ends of the logs
    * @param aged how many records of each partition of an id are gone
    * @param once whether no record may be read twice, and all in order
    */
  private case class Run(
      query: Query,
      log: (String, Int) => Log,
      counts: Map[String, Int],
      ends: Map[Log, Int],
      once: Boolean = false,
      aged: Map[(String, Int), Int] = Map.empty,
      read: Set[(Log, Int)] = Set.empty,
      line: Boolean = false,
      lists: Set[String] = ids.toSet,
      ended: Boolean = false,
      paused: Set[String] = Set.empty
  ) {
    def unread(log: Log): IndexedSeq[Int] = (0 until ends(log)).filterNot(at => read(log -> at))

    def after(move: Move): Run = move match {
      case Write(log, count) => copy(ends = ends.updated(log, ends(log) + count))
      case Age(id, n, more)  =>
        copy(aged = aged.updated(id -> n, Math.min(ends(log(id, n)), aged.getOrElse(id -> n, 0) + more)))
      case Ended         => copy(ended = true)
      case Widen(id)     => copy(counts = counts.updated(id, Math.min(ends.size, counts(id) + 1)))
      case Line(there)   => copy(line = there)
      case Lists(some)   => copy(lists = some)
      case Paused(some)  => copy(paused = some)
      case Sleep(days)   => copy(query = query.after(Duration.ofDays(days.toLong)))
      case Crash         => copy(query = query.copy(known = LastKnown.nothing, last = None))
      case look: Trigger => looked(look)
    }

    private def topology = listed(lists.toSeq.sorted.map { id =>
      val own  = if (line && id == "new") topics("t").continuing("eu") else topics("t")
      val all  = ends.map { case ((_, n), end) => s""""$n": $end""" }.mkString("""{"t": {""", ", ", "}}")
      val said = if (ended && id == "new") own.startingAt(all) else own
      id -> (if (paused(id)) said.paused else said)
    }: _*)

    private def looked(look: Trigger): Run = {
      val answers = ids.map { id =>
        val extents = (0 until counts(id)).map(n => aged.getOrElse(id -> n, 0) -> ends(log(id, n)))
        id -> (if (look.down(id)) down else answer("t" -> has(extents: _*).of(s"T-$id")).of(s"K-$id"))
      }
      val seen = query.after(Duration.ofMillis(1)).sees(topology)(answers: _*)
      val next = seen.readSome(_.map { case (id, until) =>
        id -> look.limit.fold(until)(most => Math.min(until, seen.offset.get(id).get.next + most))
      })
      assertEquals(OffsetJson.read(OffsetJson.write(next.held)), next.held)
      OffsetRanges.between(query.held, next.held).foldLeft(copy(query = next)) { (run, range) =>
        val (id, n) = (range.id.cluster.value, range.id.partition)
        assert(range.from >= aged.getOrElse(id -> n, 0).toLong, range)
        // What only the new one ever had is read once, whatever the line says.
        def again = (range.from until range.until).filter(at => read(log(id, n) -> at.toInt))
        if (n >= counts("eu")) assertEquals(again, IndexedSeq.empty, range)
        if (once) assertEquals(range.from.toInt, run.read.count(_._1 == log(id, n)), s"$range does not follow")
        run.copy(read = run.read ++ (range.from.toInt until range.until.toInt).map(log(id, n) -> _))
      }
    }
  }
}

object LateLineHistoriesSuite {
  private val ids = Vector("eu", "new")

  /** One partition of a topic: of an id, or of all that mirror each other. */
  type Log = (String, Int)

  private def shared(partition: Int): Log = "all" -> partition

  sealed trait Move                                                extends Product with Serializable
  final case class Write(log: Log, count: Int)                     extends Move
  final case class Age(id: String, partition: Int, count: Int)     extends Move
  final case class Widen(id: String)                               extends Move
  final case class Line(there: Boolean)                            extends Move
  final case class Lists(ids: Set[String])                         extends Move
  final case class Sleep(days: Int)                                extends Move
  final case class Paused(ids: Set[String])                        extends Move
  final case class Trigger(limit: Option[Long], down: Set[String]) extends Move
  case object Ended                                                extends Move
  case object Crash                                                extends Move
}
