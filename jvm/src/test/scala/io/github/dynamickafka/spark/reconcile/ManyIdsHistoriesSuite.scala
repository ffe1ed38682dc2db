package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import scala.util.Random

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations.{
  down,
  only,
  skipping,
  topics,
  AnswerWords,
  ListedWords,
  TopicWords
}
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** One log on three Kafka clusters under six ids. */
class ManyIdsHistoriesSuite extends ManyHistories {
  private val kafkaOf = Map("a" -> "K1", "b" -> "K1", "c" -> "K2", "d" -> "K2", "e" -> "K3", "f" -> "K1")
  private val ids     = kafkaOf.keys.toVector.sorted

  private class History(seed: Long) {
    private val chance = new Random(seed)
    private var ends   = Map(0 -> 5, 1 -> 5)
    private var query  = Query(skipping.copy(removal =
      skipping.removal.copy(
        policy = if (chance.nextBoolean()) RemovedClusterPolicy.Drain else RemovedClusterPolicy.Stop,
        retention = Duration.ofDays(1000)
      )
    ))
    private var list: Topology = only1("a")
    private var read           = Map.empty[Int, Long]
    private var last           = Vector.empty[OffsetRange]
    private var trace          = Vector.empty[String]

    private def only1(id: String) = Situations.listed(id -> topics("t"))

    private def known: Set[String] = query.held.topics.flatMap { case (id, _, topic) =>
      (topic.formers.filter(_._2.nonEmpty).keySet.toSet + id).map(one => kafkaOf(one.value))
    }.toSet

    private def chain(some: Vector[String], bare: String => Boolean): Topology = {
      val off                        = ids.filterNot(some.contains)
      val (apart, joined)            = some.partition(bare)
      val named                      = if (chance.nextBoolean()) apart else Vector.empty
      def paused(now: ListedCluster) = if (chance.nextInt(12) == 0) now.paused else now
      Situations.listed(joined.zipWithIndex.map { case (id, n) =>
        id -> paused(topics("t").continuing(off ++ named ++ joined.take(n): _*))
      } ++ apart.map(id => id -> paused(topics("t"))): _*)
    }

    private def lists(): Unit = {
      val some  = chance.shuffle(ids).take(chance.nextInt(4))
      val here  = known
      val holds = query.held.topics.map(_._1.value).toSet
      val bare  = some.filter(id => here(kafkaOf(id)) && !holds(id) && chance.nextInt(3) == 0).toSet
      list = chain(some, bare)
      trace :+= s"lists ${list.clusters.map { case (id, c) =>
          s"$id<-${c.continues.mkString("+")}${if (c.pause.holds("t")) "(paused)" else ""}"
        }.mkString("; ")}"
    }

    private def answer(id: String, calm: Boolean): ClusterObservation = {
      val all  = ends.toSeq.sortBy(_._1).map { case (n, end) => n -> (0 -> end) }
      val kind = if (calm) 9 else chance.nextInt(10)
      val here = kind match {
        case 1 => only(all.take(1): _*)
        case 2 => only(all.take(1): _*).leaderless(1)
        case _ => only(all: _*)
      }
      if (kind == 0) down
      else Situations.answer("t" -> here.of(s"T-${kafkaOf(id)}")).of(kafkaOf(id))
    }

    private def look(calm: Boolean): Unit = {
      query = query.after(Duration.ofMillis(1))
      val said  = ids.map(id => id -> answer(id, calm))
      val seen  = query.sees(list)(said: _*)
      val limit = if (calm || chance.nextBoolean()) 1000L else 1L + chance.nextInt(4)
      val next  = seen.readSome(_.map { case (id, until) =>
        id -> Math.min(until, seen.offset.get(id).fold(0L)(_.next) + limit)
      })
      val ranges = OffsetRanges.between(query.held, next.held)
      trace :+= s"look down=${said.collect { case (id, `down`) => id }.mkString(",")} ends=$ends reads ${ranges.map(r =>
          s"${r.id.cluster}/${r.id.partition} ${r.from}-${r.until}"
        ).mkString(", ")} notices=${seen.notices.map(_.getClass.getSimpleName).distinct.mkString(",")} at ${Situations.positions(next.held).mkString(" ")}"
      last = if (next.held ne query.held) ranges else Vector.empty
      query = next
      ranges.foreach { range =>
        val n = range.id.partition
        if (range.from != read.getOrElse(n, 0L))
          fail(s"seed $seed: $range does not follow ${read.get(n)}\n${trace.mkString("\n")}")
        read = read.updated(n, range.until)
      }
    }

    private def givesBack(): Unit = if (last.nonEmpty) {
      val tenths = chance.nextInt(10)
      val parts  = last.map(range => range -> (range.from + (range.until - range.from) * tenths / 10))
      last = Vector.empty
      read = read ++ parts.map { case (range, from) => range.id.partition -> from }
      val back = Deferred(PartitionMap.from(parts.map { case (range, from) =>
        range.id -> DeferredPart(from, range.until, query.held.get(range.id).fold(0)(_.incarnation))
      }))
      def stopped(id: ClusterId, name: String) = query.policy.removal.policy == RemovedClusterPolicy.Stop &&
        !list.lists(id, name) && StepBasis(query.held, list).roles.successor(id, name).isEmpty
      val now: SourceOffset = back.rewind(query.held, stopped, query.now)
      trace :+= s"gives back $parts"
      query = query.copy(held = now)
    }

    def check(): Unit = {
      look(calm = true)
      for (_ <- 1 to 40) chance.nextInt(12) match {
        case 0 | 1 | 2 => lists()
        case 3 | 4     =>
          val n = chance.nextInt(2)
          ends = ends.updated(n, ends(n) + chance.nextInt(6))
        case 5 => query = query.copy(known = LastKnown.nothing, last = None); trace :+= "restarts"
        case 6 => givesBack()
        case 7 if chance.nextInt(4) == 0 => ends = ends.updated(ends.size, 1 + chance.nextInt(4))
        case _                           => look(calm = false)
      }
      def calm(topology: Topology, times: Int) = {
        list = topology
        trace :+= s"calm ${list.clusters.keys}"
        for (_ <- 1 to times) look(calm = true)
      }
      def plain(some: Vector[String]) = Situations.listed(some.zipWithIndex.map { case (id, n) =>
        id -> topics("t").continuing(ids.filterNot(some.contains) ++ some.take(n): _*)
      }: _*)
      val order = chance.shuffle(ids)
      calm(plain(order), 4)
      val alone = plain(Vector(order.last))
      calm(alone, 4)
      if (read.toMap != ends.map { case (n, end) => n -> end.toLong })
        fail(s"seed $seed: read $read of $ends\n${trace.mkString("\n")}")
    }
  }

  property("each record comes once, whatever ids are listed") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue))(new History(_).check())
  }
}
