package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations.{down, fromEarliest}
import io.github.dynamickafka.spark.ids.{PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.options.UnavailableClusterPolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadBudget}
import io.github.dynamickafka.spark.reconcile.FailOvers.Ids
import io.github.dynamickafka.spark.reconcile.observed.LastKnown

/** Random histories of unplanned fail-overs between two Kafka clusters. What producers write after a move lies at offsets at
  * which the query may have read other records. The cluster that they left is made anew as a mirror of the other one.
  *
  * No record is read twice. A mirror that was ever seen behind is held. Where it is said where mirroring ended, no record of
  * the cluster that producers use is left out.
  */
class FailOverHistoriesSuite extends ManyHistories {
  import FailOverHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    14 -> Gen.zip(Gen.option(Gen.choose(1L, 6L)), Gen.listOfN(2, Gen.frequency(5 -> true, 1 -> false))).map {
      case (limit, up) => Trigger(limit, Ids.zip(up).filter(_._2).map(_._1).toSet)
    },
    7 -> Gen.zip(Gen.choose(0, 1), Gen.choose(1, 6)).map((Write.apply _).tupled),
    5 -> Gen.zip(Gen.choose(0, 1), Gen.oneOf(0, 1, 3)).map((Copy.apply _).tupled),
    3 -> Gen.const(FailOver),
    3 -> Gen.const(Remake),
    5 -> Gen.zip(Gen.oneOf(Ids.map(Set(_)) :+ Ids.toSet), Gen.oneOf(true, false)).map((List.apply _).tupled),
    1 -> Gen.const(Crash),
    1 -> Gen.choose(0, 9).map(GiveBack(_))
  )

  property(
    "no record is read twice, a mirror seen behind is held, and none is left out where mirroring is said to end"
  ) {
    forAll(Gen.choose(5, 70).flatMap(Gen.listOfN(_, moves))) { history =>
      val look = Trigger(None, Ids.toSet)
      val run  = (look +: history).foldLeft(Run())(_ after _)
      val calm = Seq(List(Set(run.here.world.primary), line = true), look, look, look).foldLeft(run)(_ after _)
      calm.here.check()
    }
  }

  private case class Run(
      query: Query = Query(fromEarliest.copy(unavailable = UnavailableClusterPolicy.Skip)),
      here: FailOvers = FailOvers(),
      last: Vector[OffsetRange] = Vector.empty,
      back: Deferred = Deferred.nothing
  ) {
    private def holders = FailOvers.holder(query.held).toSet

    def after(move: Move): Run = move match {
      case Write(partition, count) => copy(here = here.written(partition, count))
      case Copy(partition, behind) => copy(here = here.mirrored(partition, behind, holders))
      case FailOver                => copy(here = here.failedOver)
      case Remake                  => copy(here = here.remade(holders))
      case List(ids, line)         => copy(here = here.lists(ids, line, holders))
      case Crash            => copy(query = query.copy(known = LastKnown.nothing, last = None), here = here.restarted)
      case GiveBack(tenths) => if (last.isEmpty) this else givesBack(tenths)
      case look: Trigger    =>
        val held = if (back.isEmpty) query.held else back.rewind(query.held, (_, _) => false, query.now)
        copy(query = query.copy(held = held), back = Deferred.nothing).looked(look)
    }

    /** Of each range of the last batch, what lies behind so many tenths of it. */
    private def givesBack(tenths: Int): Run = {
      val parts = last.map(range => range.part(range.from + range.size * tenths / 10, range.until))
      copy(
        last = Vector.empty,
        here = here.copy(read = here.read -- parts.flatMap(part => here.records(part.id.cluster.value, part))),
        back = Deferred(PartitionMap.from(parts.map { part =>
          part.id -> DeferredPart(part.from, part.until, query.held.get(part.id).fold(0)(_.incarnation))
        }))
      )
    }

    private def looked(look: Trigger): Run = {
      val seen = query.after(Duration.ofMillis(1)).sees(Situations.listed(here.topology(query.held): _*))(
        Ids.map(id => id -> (if (look.up(id)) here.world.answer(id) else down)): _*
      )
      def limited(readable: Map[PartitionId, Long]) = look.limit.fold(readable) { most =>
        val from = readable.map { case (id, _) => id -> seen.offset.get(id).fold(0L)(_.next) }
        ReadBudget.spread(PartitionMap.from(readable.map { case (id, until) => id -> (until - from(id)) }), most, None)
          .collect { case (id, count) if count > 0 => id -> (from(id) + count) }
      }
      val next   = seen.readSome(limited)
      val ranges = OffsetRanges.between(query.held, next.held)
      val after  = here.stepped(query.held, look.up & here.listed, next.held)
      val read   = ranges.flatMap(range => after.records(range.id.cluster.value, range))
      copy(query = next, here = after.reads(read), last = ranges)
    }
  }
}

object FailOverHistoriesSuite {
  sealed trait Move extends Product with Serializable

  /** @param up the clusters that answer */
  final case class Trigger(limit: Option[Long], up: Set[String]) extends Move
  final case class Write(partition: Int, count: Int)             extends Move

  /** The mirror gets as far as so many records before the end. */
  final case class Copy(partition: Int, behind: Int) extends Move

  /** Producers move to the mirror. */
  case object FailOver extends Move

  /** What they left is made anew as a mirror. */
  case object Remake                                     extends Move
  final case class List(ids: Set[String], line: Boolean) extends Move
  case object Crash                                      extends Move
  final case class GiveBack(tenths: Int)                 extends Move
}
