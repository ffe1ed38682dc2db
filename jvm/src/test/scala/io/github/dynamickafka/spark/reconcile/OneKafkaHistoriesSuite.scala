package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, LogAgreement, SourceOffset}
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** Random histories of one topic of one Kafka cluster that has leader epochs. It is listed under two ids, of which one may
  * say that it continues the other, is taken off, paused, deleted and created again; its logs are written, cut off and age.
  * Partitions lose their leaders, leaders do not answer all. Drivers crash, batches are limited and defer a part. Loss is
  * allowed. Each record has a number of its own: none is read twice, and in the end all that are there were read. Where
  * loss is not allowed, a look fails exactly if it would count some.
  */
class OneKafkaHistoriesSuite extends ManyHistories {
  import OneKafkaHistoriesSuite._

  private val parts = Gen.oneOf(0, 1)

  private val replies: Gen[Reply] = Gen.frequency(
    10 -> Gen.const(Whole),
    1  -> Gen.const(Down),
    1  -> Gen.const(Hidden),
    2  -> parts.map(Unled(_)),
    1  -> parts.map(Half(_)),
    2  -> Gen.const(Unproved)
  )

  private val moves: Gen[Move] = Gen.frequency(
    14 -> Gen.zip(Gen.option(Gen.choose(1L, 6L)), replies).map((Trigger.apply _).tupled),
    7  -> Gen.zip(parts, Gen.choose(1, 9)).map((Write.apply _).tupled),
    2  -> Gen.zip(parts, Gen.choose(0, 12)).map((Cut.apply _).tupled),
    1  -> Gen.zip(parts, Gen.choose(1, 6)).map((Age.apply _).tupled),
    4  -> Gen.oneOf(Set("eu"), Set("us"), Set("eu", "us"), Set.empty[String]).map(Lists(_)),
    2  -> Gen.oneOf(true, true, false).map(Line(_)),
    1  -> Gen.oneOf(Set("eu"), Set("us"), Set.empty[String], Set.empty[String]).map(Paused(_)),
    1  -> Gen.const(Delete),
    2  -> Gen.const(Create),
    2  -> Gen.choose(0, 9).map(GiveBack(_)),
    3  -> Gen.choose(1, 40).map(Pass(_)),
    1  -> Gen.const(Crash)
  )

  private val policies: Gen[ReconcilePolicy] =
    Gen.zip(Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop), Gen.oneOf(1, 600)).map {
      case (removal, minutes) => skipping.copy(
          failOnDataLoss = false,
          removal =
            skipping.removal.copy(policy = removal, drainTimeout = Duration.ofMinutes(minutes.toLong))
        )
    }

  property("no record is read twice, and all that are there in the end were read") {
    forAll(policies, Gen.oneOf(Set.empty[String], Set("eu", "us")), Gen.choose(5, 60).flatMap(Gen.listOfN(_, moves))) {
      (policy, inactive, history) =>
        val begun = Seq(Write(0, 3), Lists(Set("eu")), Trigger(None, Whole))
        val last  = Seq(
          Create,
          Line(true),
          Lists(Set("eu", "us")),
          Paused(Set.empty),
          Trigger(None, Whole),
          Pass(31),
          Trigger(None, Whole),
          Pass(31),
          Trigger(None, Whole),
          Pass(31),
          Trigger(None, Whole)
        )
        val run = (begun ++ history ++ last)
          .foldLeft(Run(Query(policy, inactive = inactive.map(ClusterId(_)))))(_ after _)
        run.logs.foreach { case (n, log) =>
          assertEquals(log.there.filterNot(run.read), Vector.empty, s"not read of partition $n")
        }
        Prop.passed
    }
  }

  /** @param records by offset, from 0 on
    * @param starts where each epoch begins
    */
  private case class Log(records: Vector[Int] = Vector.empty, earliest: Int = 0, starts: Vector[Int] = Vector(0)) {
    def there: Vector[Int]   = records.drop(earliest)
    def extent: Extent       = Extent(earliest.toLong, records.size.toLong, records.size.toLong, Some(starts.size - 1))
    def cut(count: Int): Log = {
      val at = Math.max(earliest, records.size - count)
      Log(records.take(at), earliest, starts.map(Math.min(_, at)) :+ at)
    }
    def agreed(position: Long, epoch: Int): Long =
      Math.min(position, if (epoch + 1 < starts.size) starts(epoch + 1).toLong else records.size.toLong)
  }

  private case class Run(
      query: Query,
      logs: Map[Int, Log] = Map(0 -> Log(), 1 -> Log()),
      topic: Int = 1,
      exists: Boolean = true,
      numbers: Int = 0,
      lists: Set[String] = Set.empty,
      line: Boolean = true,
      paused: Set[String] = Set.empty,
      read: Set[Int] = Set.empty,
      last: Vector[(PartitionId, Long, Vector[Int])] = Vector.empty,
      back: Deferred = Deferred.nothing
  ) {
    def after(move: Move): Run = move match {
      case Write(n, count) if exists =>
        val more = Vector.range(numbers, numbers + count)
        copy(logs = logs.updated(n, logs(n).copy(records = logs(n).records ++ more)), numbers = numbers + count)
      case Cut(n, count) => copy(logs = logs.updated(n, logs(n).cut(count)))
      case Age(n, count) =>
        val to = Math.min(logs(n).records.size, logs(n).earliest + count)
        copy(logs = logs.updated(n, logs(n).copy(earliest = to)))
      case Lists(ids)           => copy(lists = ids)
      case Line(there)          => copy(line = there)
      case Paused(ids)          => copy(paused = ids)
      case Delete               => copy(exists = false, logs = logs.map(_._1 -> Log()))
      case Create if exists     => this
      case Create               => copy(exists = true, topic = topic + 1)
      case Pass(seconds)        => copy(query = query.after(Duration.ofSeconds(seconds.toLong)))
      case Crash                => copy(query = query.copy(known = LastKnown.nothing, last = None))
      case GiveBack(n)          => if (last.isEmpty) this else givesBack(n)
      case Trigger(limit, some) => copy(query = query.copy(held = rewound), back = Deferred.nothing).looked(limit, some)
      case _                    => this
    }

    private def givesBack(tenths: Int): Run = {
      val parts = last.map { case (id, from, some) => (id, from, some.splitAt(some.size * tenths / 10)) }
      copy(
        last = Vector.empty,
        read = read -- parts.flatMap(_._3._2),
        back = Deferred(PartitionMap.from(parts.map { case (id, from, (taken, _)) =>
          val at = query.held.get(id).get
          id -> DeferredPart(from + taken.size, at.next, at.incarnation)
        }))
      )
    }

    private def rewound: SourceOffset = {
      def stopped(id: ClusterId, name: String) =
        query.policy.removal.policy == RemovedClusterPolicy.Stop && !topology.lists(id, name)
      if (back.isEmpty) query.held else back.rewind(query.held, stopped, query.now)
    }

    private def topology: Topology = listed(lists.toSeq.sorted.map { id =>
      val own = if (id == "us" && line) topics("t").continuing("eu") else topics("t")
      id -> (if (paused(id)) own.paused else own)
    }: _*)

    private def answer(reply: Reply): ClusterObservation = {
      val all  = Present(Some(s"T$topic"), logs.map { case (n, log) => n -> log.extent })
      val here = reply match {
        case Unled(n) => all.copy(partitions = all.partitions - n).leaderless(n)
        case Half(n)  => all.copy(partitions = all.partitions - n)
        case _        => all
      }
      if (reply == Down) down
      else if (!exists) io.github.dynamickafka.spark.fakes.Situations.answer("t" -> absent).of("K")
      else if (reply == Hidden) io.github.dynamickafka.spark.fakes.Situations.answer("t" -> hidden).of("K")
      else io.github.dynamickafka.spark.fakes.Situations.answer("t" -> here).of("K")
    }

    private def resolve(reply: Reply): Resolve = {
      case Question(id, LogAgreement(position, epoch, _)) if reply != Unproved =>
        Some(logs(id.partition).agreed(position, epoch))
    }

    private def sees(query: Query, reply: Reply): Seen =
      query.after(Duration.ofMillis(1)).sees(topology, resolve(reply))("eu" -> answer(reply), "us" -> answer(reply))

    private def looked(limit: Option[Long], reply: Reply): Run = {
      val seen   = sees(query, reply)
      val strict = sees(query.under(_.copy(failOnDataLoss = true)), reply).outcome.left.toOption.map(_.condition)
      // What is not listed fails nothing.
      val losses = seen.notices.exists {
        case lost: Notice.Lost => topology.lists(lost.id.cluster, lost.id.topic)
        case _                 => false
      }
      // Of a topic that is gone nothing is counted as lost.
      if (exists && line) assertEquals(strict.isDefined, losses, s"where loss is not allowed: $strict")
      val next = seen.readSome(_.map { case (id, until) =>
        id -> limit.fold(until)(most => Math.min(until, seen.offset.get(id).get.next + most))
      })
      val logged = next.held ne query.held
      val ranges = OffsetRanges.between(query.held, next.held)
      ranges.foldLeft(copy(
        query = next,
        last = if (logged) ranges.map(range => (range.id, range.from, records(range.id, range.from, range.until)))
        else Vector.empty
      )) { (run, range) =>
        val some = records(range.id, range.from, range.until)
        assertEquals(some.filter(run.read), Vector.empty, s"$range is read twice")
        run.copy(read = run.read ++ some)
      }
    }

    private def records(id: PartitionId, from: Long, until: Long): Vector[Int] = {
      val log = logs(id.partition)
      assert(log.earliest <= from && until <= log.records.size, s"$id $from-$until is not within $log")
      log.records.slice(from.toInt, until.toInt)
    }
  }
}

object OneKafkaHistoriesSuite {
  sealed trait Reply                     extends Product with Serializable
  case object Whole                      extends Reply
  case object Down                       extends Reply
  case object Hidden                     extends Reply
  final case class Unled(partition: Int) extends Reply
  final case class Half(partition: Int)  extends Reply

  /** Leaders do not say whether their logs were cut off. */
  case object Unproved extends Reply

  sealed trait Move                                           extends Product with Serializable
  final case class Trigger(limit: Option[Long], reply: Reply) extends Move
  final case class Write(partition: Int, count: Int)          extends Move
  final case class Cut(partition: Int, count: Int)            extends Move
  final case class Age(partition: Int, count: Int)            extends Move
  final case class Lists(ids: Set[String])                    extends Move
  final case class Line(there: Boolean)                       extends Move
  final case class Paused(ids: Set[String])                   extends Move
  final case class GiveBack(tenths: Int)                      extends Move
  final case class Pass(seconds: Int)                         extends Move
  case object Delete                                          extends Move
  case object Create                                          extends Move
  case object Crash                                           extends Move
}
