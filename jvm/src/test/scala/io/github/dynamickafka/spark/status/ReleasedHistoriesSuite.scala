package io.github.dynamickafka.spark.status

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{FakeKafka, Query, Situations}
import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.fakes.RandomEvents._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.OffsetJson
import io.github.dynamickafka.spark.options.{RemovalSettings, RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.reconcile.{NaiveReader, ReconcilePolicy}

/** Random histories of topologies and clusters. After each trigger a cluster is needed exactly if a naive reader with full
  * sight of the kafka has something left to read of it; and what a query does later is the same whether a cluster that it
  * does not need answers or not.
  *
  * Left out: endings and uncommitted batches, which `NeedSuite` has, and successors.
  */
class ReleasedHistoriesSuite extends SwitchedOffHistories {
  private val replies: Gen[Reply] = Gen.frequency(
    9 -> Gen.const(Whole),
    2 -> Gen.const(Down),
    1 -> parts,
    1 -> Gen.zip(Gen.someOf(topicNames), Gen.someOf(0 to 2)).map { case (t, p) =>
      Hampered(Set.empty, t.toSet, p.toSet)
    }
  )

  private val events: Gen[Event] = Gen.frequency(
    12 -> triggers(6L, replies),
    6  -> writes,
    4  -> widenings,
    5  -> lists(Gen.someOf(topicNames)),
    1  -> agings,
    1  -> recreations,
    1  -> deletions,
    1  -> sleeps
  )

  private val policies: Gen[ReconcilePolicy] = for {
    removal   <- Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop)
    retention <- Gen.oneOf(10, 1000)
    point     <- rules
  } yield ReconcilePolicy(
    point,
    point,
    RemovalSettings(removal, Duration.ofHours(1), Duration.ofHours(retention.toLong)),
    UnavailableClusterPolicy.Skip,
    failOnDataLoss = false,
    Situations.policy.agreement,
    Situations.policy.settling
  )

  private val histories: Gen[List[Event]] = Gen.choose(5, 50).flatMap(Gen.listOfN(_, events))

  /** @param naive none once nobody compares any more */
  private case class Run(kafka: FakeKafka, query: Query, naive: Option[NaiveReader]) {
    def after(event: Event): Run = {
      val here = event match {
        case trigger: Trigger => triggered(trigger)
        case _                => this
      }
      here.copy(kafka = here.kafka.after(event))
    }

    private def triggered(trigger: Trigger): Run = {
      val answers = trigger.replies.map { case (id, reply) => id -> kafka.answer(id, reply) }
      val asked   = clusterIds.map(_ -> kafka.now).toMap
      val seen    = query.copy(now = kafka.now).sees(kafka.topology, kafka.resolve, asked)(answers.toSeq: _*)
      val logged  = seen.readSome(_.map { case (id, until) =>
        val next = seen.offset.get(id).fold(0L)(_.next)
        id -> trigger.limit.fold(until)(most => Math.min(until, next + most))
      })
      val naively = naive.flatMap(_.sees(kafka, answers, _ => kafka)).map { proposal =>
        if (OffsetJson.write(logged.held) == OffsetJson.write(query.held)) naive.get
        else proposal.reader.moved(read(logged))
      }
      val moved = OffsetJson.write(logged.held) != OffsetJson.write(query.held)
      copy(query = if (moved) logged else query, naive = naively)
    }

    /** The same, once the metadata does not list this cluster any more. */
    def off(name: String): Run = copy(kafka = kafka.copy(listed = kafka.listed - name), naive = None)

    private def read(logged: Query): Map[PartitionId, Long] = logged.held.partitions.map { case (id, at) =>
      id -> at.next
    }.toMap

    def needed: Set[String] = Need.of(query.held, kafka.topology, query.policy.removal.policy, Set.empty, Set.empty)
      .collect { case (id, needs) if needs.nonEmpty => id.value }.toSet

    /** By the naive reader: what it is to read now, and what it has not drained. */
    def naivelyNeeded: Set[String] = naive.fold(Set.empty[String]) { reader =>
      val left = reader.topics.keySet.filter { case (cluster, topic) => !kafka.listed.get(cluster).exists(_(topic)) }
        .filter(name =>
          reader.removed.get(name).fold(query.policy.removal.policy == RemovedClusterPolicy.Drain)(
            _.unfinished(name, reader.next)
          )
        )
      kafka.listed.collect { case (cluster, topics) if topics.nonEmpty => cluster }.toSet ++ left.map(_._1)
    }
  }

  private def begun(policy: ReconcilePolicy): Run = Run(FakeKafka(), Query(policy), Some(NaiveReader(policy)))

  property("a cluster is needed exactly if a naive reader has something left to read of it") {
    forAll(policies, histories) { (policy, history) =>
      history.foldLeft(begun(policy)) { (before, event) =>
        val run = before.after(event)
        event match {
          case _: Trigger => assertEquals(before.copy(query = run.query, naive = run.naive).needed, run.naivelyNeeded)
          case _          => ()
        }
        run
      }
      Prop.passed
    }
  }

  property("once a cluster is not needed, the query does the same whether it answers or not, and reads nothing of it") {
    forAll(policies, histories) { (policy, history) =>
      val runs = history.scanLeft(begun(policy))(_ after _)
      for {
        name  <- clusterNames
        place <- runs.indices.find { at =>
          at > 0 && history(at - 1).isInstanceOf[Trigger] && !runs(at).needed(name) &&
          runs(at).query.held.clusters.contains(ClusterId(name))
        }
      } switchedOff(name, runs(place).off(name), history.drop(place).map(without(name, _)), (_: Run).query)(_ after _) {
        case Trigger(limit, replies) => Trigger(limit, replies.updated(name, Down))
        case other                   => other
      }
      Prop.passed
    }
  }

  private def without(name: String, event: Event): Event = event match {
    case Lists(listed) => Lists(listed - name)
    case other         => other
  }
}
