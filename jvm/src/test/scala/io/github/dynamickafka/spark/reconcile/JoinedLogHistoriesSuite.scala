package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.plan.OffsetRanges
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.reconcile.succession.{Role, Roles}
import io.github.dynamickafka.spark.topology.Topology

/** Random histories of a log that was read under two ids apart, with different positions. Once it is joined it has one
  * position: each range begins where the one before ended, whichever of three ids are listed, paused or out of reach.
  */
class JoinedLogHistoriesSuite extends ManyHistories with MovingLog {
  private case class Step(topology: Topology, down: Set[String]) {
    def joins: Boolean = topology.clusters.valuesIterator.exists(_.continues.nonEmpty)
  }

  private val last  = "newer" -> orders.continuing("eu", "new")
  private val apart = listed("eu" -> orders, "new" -> orders)
  private val lists = Gen.oneOf(
    Topology.empty,
    moved,
    listed(last),
    both,
    listed("eu"  -> orders, last),
    listed("new" -> next, last),
    listed("eu"  -> orders, "new"        -> next, last),
    listed("eu"  -> orders.paused, "new" -> next),
    listed("eu"  -> orders, "new"        -> next.paused),
    listed("eu"  -> orders.paused, "new" -> next.paused)
  )
  private val downs = Gen.oneOf(Set.empty[String], Set("eu"), Set("new"), Set("newer"), Set("eu", "new", "newer"))

  private def steps(topologies: Gen[Topology], most: Int): Gen[List[Step]] =
    Gen.choose(0, most).flatMap(Gen.listOfN(_, Gen.zip(topologies, downs).map((Step.apply _).tupled)))

  private val answers = Map[String, ClusterObservation](
    "eu"    -> answer("orders" -> has(0 -> 1000).of("T1")).of("K1"),
    "new"   -> answer("orders" -> has(0 -> 1000).of("T9")).of("K2"),
    "newer" -> answer("orders" -> has(0 -> 1000).of("T7")).of("K3")
  )

  /** Each batch reads one record of each partition. */
  private def after(query: Query, step: Step): Query = {
    val seen = query.after(Duration.ofMinutes(1)).sees(step.topology)(answers.removedAll(step.down).toSeq: _*)
    seen.readSome(_.map { case (id, _) => id -> (seen.offset.get(id).get.next + 1) })
  }

  private val begun: Query = Query(skipping).sees(apart)(answers.toSeq: _*)
    .readSome(_.map { case (id, _) => id -> (if (id.cluster == ClusterId("eu")) 20L else 10L) })

  /** Where the log stands when it is joined: at the position of the id that reads it, or is to hand it over. */
  private def position(held: SourceOffset, topology: Topology): Option[Long] = {
    val roles = Roles.of(held, topology)
    def reads = held.topics.map(_._1)
      .find(id => topology.lists(id, "orders") && roles.of(id, "orders") == Role.Reader)
    roles.successions.map(_._3).nextOption().orElse(reads)
      .flatMap(held.topic(_, "orders")).map(_.partitions(0).next)
  }

  property("once it is joined, each range begins where the one before ended") {
    forAll(steps(Gen.oneOf(apart, Topology.empty), 3), steps(lists, 5)) { (before, joined) =>
      val start = before.foldLeft(begun)(after)
      val ends  = joined.foldLeft(start -> Option.empty[Long]) { case ((query, known), step) =>
        val at     = known.orElse(if (step.joins) position(query.held, step.topology) else None)
        val read   = after(query, step)
        val ranges = OffsetRanges.between(query.held, read.held)
        if (at.isDefined) ranges.foreach(range => assertEquals(Some(range.from), at, range.toString))
        read -> ranges.lastOption.filter(_ => at.isDefined).map(_.until).orElse(at)
      }
      Prop.collect(if (ends._2.isDefined) "joined" else "never joined")(Prop.passed)
    }
  }
}
