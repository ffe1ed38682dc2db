package io.github.dynamickafka.spark.status

import java.time.Duration

import scala.collection.immutable.SortedSet

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.Topology

/** Random histories of one log under two ids, a Kafka cluster and a mirror that lags and continues it, which are listed and
  * taken off in any order. Once the cluster is not needed any more it is switched off, and the query does not notice.
  */
class ReleasedSuccessionHistoriesSuite extends SwitchedOffHistories {
  import ReleasedSuccessionHistoriesSuite._

  private val moves: Gen[Move] = Gen.frequency(
    10 -> Gen.zip(Gen.option(Gen.choose(1L, 4L)), Gen.prob(0.8), Gen.prob(0.8)).map((Trigger.apply _).tupled),
    5  -> Gen.choose(1, 6).map(Write(_)),
    5  -> Gen.oneOf(0, 0, 1, 100).map(Copy(_)),
    4  -> Gen.someOf("a", "m").map(some => Lists(some.toSet))
  )

  private val histories: Gen[List[Move]] = Gen.choose(5, 40).flatMap(Gen.listOfN(_, moves))

  private val policies = Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop).map(removal =>
    skipping.copy(removal = skipping.removal.copy(policy = removal))
  )

  property("once the old cluster of a mirror is not needed, the query does the same whether it answers or not") {
    forAll(policies, histories) { (policy, history) =>
      val begun = Seq(Lists(Set("a")), Trigger(None, old = true, mirror = true)).foldLeft(Run(Query(policy)))(_ after _)
      val runs  = history.scanLeft(begun)(_ after _)
      val place = runs.indices.find(at => at > 0 && history(at - 1).isInstanceOf[Trigger] && !runs(at).needsOld)
      place.foreach { at =>
        val rest = history.drop(at).map {
          case Lists(ids) => Lists(ids - "a")
          case other      => other
        }
        switchedOff("a", runs(at).copy(listed = runs(at).listed - "a"), rest, (_: Run).query)(_ after _) {
          case look: Trigger => look.copy(old = false)
          case other         => other
        }
      }
      Prop.collect(if (place.isDefined) "switched off" else "needed to the end")(Prop.passed)
    }
  }

  /** @param end of the log of the Kafka cluster
    * @param copied how far the mirror has got
    */
  private case class Run(query: Query, end: Int = 3, copied: Int = 0, listed: Set[String] = Set.empty) {
    def after(move: Move): Run = move match {
      case Write(count)  => copy(end = end + count)
      case Copy(behind)  => copy(copied = Math.max(copied, end - behind))
      case Lists(ids)    => copy(listed = ids)
      case look: Trigger => looked(look)
    }

    def needsOld: Boolean =
      Need.of(
        query.held,
        topology,
        query.policy.removal.policy,
        Set.empty,
        Set.empty
      ).get(ClusterId("a")).exists(_.nonEmpty)

    private def topology: Topology = Situations.listed(listed.toSeq.sorted.map {
      case "m"   => "m"   -> topics("t").copy(continues = SortedSet(ClusterId("a")))
      case other => other -> topics("t")
    }: _*)

    private def answer(answers: Boolean, id: String, until: Int): ClusterObservation =
      if (answers) Situations.answer("t" -> has(0 -> until).of(s"T-$id")).of(s"K-$id") else down

    private def looked(look: Trigger): Run = {
      val seen = query.after(Duration.ofMillis(1)).sees(topology)(
        "a" -> answer(look.old, "a", end),
        "m" -> answer(look.mirror, "m", copied)
      )
      copy(query = seen.readSome(_.map { case (id, until) =>
        id -> look.limit.fold(until)(most => Math.min(until, seen.offset.get(id).fold(0L)(_.next) + most))
      }))
    }
  }
}

object ReleasedSuccessionHistoriesSuite {
  sealed trait Move                                                            extends Product with Serializable
  final case class Write(count: Int)                                           extends Move
  final case class Copy(behind: Int)                                           extends Move
  final case class Lists(ids: Set[String])                                     extends Move
  final case class Trigger(limit: Option[Long], old: Boolean, mirror: Boolean) extends Move
}
