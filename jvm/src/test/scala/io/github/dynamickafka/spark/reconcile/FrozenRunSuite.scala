package io.github.dynamickafka.spark.reconcile

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.reconcile.observed.{
  Agreement,
  ClusterObservation,
  LastKnown,
  ReadObstacle,
  SuspectedCut,
  SuspectedLosses
}
import io.github.dynamickafka.spark.reconcile.report.Notice
import io.github.dynamickafka.spark.topology.Topology

/** The rest of a run whose topology and targets are fixed. */
class FrozenRunSuite extends FunSuite {
  private val both   = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val euOnly = listed("eu" -> topics("orders"))
  private val eu     = answer("orders" -> has(0 -> 10)).of("K-eu")
  private val us     = answer("orders" -> has(0 -> 10)).of("K-us")

  // What is held of both clusters before the run.
  private val began = Query(skipping).sees(both)("eu" -> eu, "us" -> us).read

  /** A run that has 5 more records of each cluster, and has read up to these. */
  private def frozen(
      topology: Topology = both,
      query: Query = began,
      answers: Seq[(String, ClusterObservation)] =
        Seq("eu" -> answer("orders" -> has(0 -> 15)).of("K-eu"), "us" -> answer("orders" -> has(0 -> 15)).of("K-us"))
  ): (FrozenRun, SourceOffset) = {
    val (run, read) = running(topology, query, answers: _*)
    (run, read.held)
  }

  /** The same, with all that the query knows by then. */
  private def running(
      topology: Topology,
      query: Query,
      answers: (String, ClusterObservation)*
  ): (FrozenRun, Query) = {
    val first = query.sees(topology)(answers: _*)
    (FrozenRun.from(topology, first.step), first.readSome(_.map { case (id, _) => id -> 12L }))
  }

  private def answers(seen: (String, ClusterObservation)*) = seen.map { case (id, answer) =>
    ClusterId(id) -> answer
  }.toMap

  private def stepped(
      run: FrozenRun,
      held: SourceOffset,
      seen: Map[ClusterId, ClusterObservation],
      policy: ReconcilePolicy
  ): Either[Failure, Reconciled] =
    run.step(StepInput(StepBasis(held, run.topology), Set.empty, seen, Map.empty, begin), policy)

  private def open(run: FrozenRun, held: SourceOffset): Set[String] = run.topics(held).keySet.map(_.value)

  private def readable(outcome: Either[Failure, Reconciled]): Map[String, Long] =
    outcome.fold(failure => fail(failure.toString), _.readable.map { case (id, until) => s"${id.cluster}" -> until })

  test("it reads what is left up to its targets, whatever was written meanwhile, and asks no cluster that is through") {
    val (run, held) = frozen()
    assertEquals(
      readable(stepped(run, held, answers("eu" -> answer(), "us" -> answer()), skipping)),
      Map("eu" -> 15L, "us" -> 15L)
    )
    assertEquals(open(run, held), Set("eu", "us"))
    val through = held.moved(Map(partition("eu", "orders", 0) -> 15L))
    assertEquals(open(run, through), Set("us"))
    assertEquals(readable(stepped(run, through, answers("us" -> answer()), skipping)), Map("us" -> 15L))
  }

  test("a part that may be left out is waited for once; a cluster that is lost, or needed, in each step") {
    val (run, _) = frozen()
    val silent   = ReadObstacle(partitions = SortedMap(0 -> ReadObstacle.NoAnswer))
    val part     = answer("orders" -> has(0 -> 15).copy(obstacle = silent))
    def waits(last: Option[ClusterObservation], policy: ReconcilePolicy) = run.waitsFor(ClusterId("eu"), last, policy)
    assertEquals(Seq(None, Some(eu), Some(part), Some(down)).map(waits(_, skipping)), Seq(true, true, false, true))
    assert(waits(Some(part), fromEarliest))
  }

  test("a cluster that is lost is left out under skip, with a notice, and read again when it is back") {
    val (run, held) = frozen()
    val lost        = stepped(run, held, answers("eu" -> down, "us" -> answer()), skipping)
    assertEquals(readable(lost), Map("us" -> 15L))
    assertEquals(lost.map(_.unavailable.map(_.value)), Right(Set("eu")))
    assertEquals(lost.map(_.offset), Right(held))
    assertEquals(
      readable(stepped(run, held, answers("eu" -> eu, "us" -> us), skipping)).keySet,
      Set("eu", "us")
    )
  }

  test("a cluster that is lost fails the run under fail, if the service expects it to answer") {
    val (run, held) = frozen()
    assertEquals(stepped(run, held, answers("eu" -> down, "us" -> us), fromEarliest), Left(down.failure))
    val (idle, held2) = frozen(listed("eu" -> topics("orders").inactive, "us" -> topics("orders")))
    assertEquals(
      readable(stepped(idle, held2, answers("eu" -> down, "us" -> us), fromEarliest)),
      Map("us" -> 15L)
    )
  }

  test("a cluster that drains is left out when it is lost, whatever the policy") {
    for (topology <- Seq(listed("us" -> topics("orders")), listed("eu" -> topics(), "us" -> topics("orders")))) {
      val (run, held) = frozen(topology)
      assertEquals(open(run, held), Set("eu", "us"))
      assertEquals(
        readable(stepped(run, held, answers("eu" -> down, "us" -> us), fromEarliest)),
        Map("us" -> 15L)
      )
    }
  }

  test("another Kafka cluster behind a known id counts as lost") {
    val (run, held) = frozen()
    val outcome     =
      stepped(run, held, answers("eu" -> answer().of("another"), "us" -> answer().of("K-us")), fromEarliest)
    assertEquals(outcome.left.map(_.condition), Left(Condition.ClusterChanged))
  }

  test("what had no target at the beginning has none later, and is reported to the end") {
    val (run, held) = frozen(answers = Seq("eu" -> down, "us" -> answer("orders" -> has(0 -> 15)).of("K-us")))
    assertEquals(open(run, held), Set("us"))
    assertEquals(
      stepped(run, held, answers("us" -> us), skipping).map(_.unavailable.map(_.value)),
      Right(Set("eu"))
    )
    val (missing, held2) = frozen(answers =
      Seq("eu" -> answer("orders" -> absent).of("K-eu"), "us" -> answer("orders" -> has(0 -> 15)).of("K-us"))
    )
    assertEquals(
      stepped(missing, held2, answers("us" -> us), skipping).map(_.notices),
      Right(Vector(Notice.MissingTopic(ClusterId("eu"), "orders")))
    )
  }

  test("records lost before the run are not reported, nor counted, at each of its steps") {
    val (run, held) = frozen(
      query = began.under(_.copy(failOnDataLoss = false)),
      answers =
        Seq("eu" -> answer("orders" -> has(11 -> 15)).of("K-eu"), "us" -> answer("orders" -> has(0 -> 15)).of("K-us"))
    )
    assertEquals(
      stepped(run, held, answers("eu" -> eu, "us" -> us), skipping).map(_.notices),
      Right(Vector.empty)
    )
  }

  test("a topic that is created again meanwhile is loss; where loss is allowed, it is left to the next run") {
    def orders(id: String, end: Int) = Seq("eu" -> answer("orders" -> has(0 -> end).of(id)), "us" -> us)
    val query                        = Query(skipping).sees(both)(orders("T1", 10): _*).read
    val (run, held)                  = frozen(query = query, answers = orders("T1", 15))
    val again                        = answers(orders("T2", 100): _*)
    assertEquals(stepped(run, held, again, skipping).left.map(_.condition), Left(Condition.TopicRecreated))
    val lax = skipping.copy(failOnDataLoss = false)
    assertEquals(readable(stepped(run, held, again, lax)).keySet, Set.empty[String])
    assertEquals(readable(stepped(run, held, answers(orders("T1", 100): _*), lax)).keySet, Set("eu"))
  }

  test("a topic that is deleted in the middle of a frozen run is loss, and never planned") {
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1")).of("K1")
    val (run, held)  = running(euOnly, Query(fromEarliest).sees(euOnly)(eu(10)).read, eu(15))
    val gone         = "eu" -> answer("orders" -> absent).of("K1")
    val later        = held.sees(euOnly)(gone).input
    val known        = held.copy(known = later.known).after(policy.agreement).sees(euOnly)(gone).input
    assert(known.known.suspectedLosses.deleted(ClusterId("eu"), "orders", policy.agreement))
    val strict = run.step(known, fromEarliest)
    val lax    = run.step(known, fromEarliest.copy(failOnDataLoss = false))
    assertEquals(strict.left.map(_.condition), Left(Condition.DataLoss))
    assertEquals(lax.map(_.readable.size), Right(0))
  }

  test("a partition of a draining topic that nobody leads does not fail a frozen run of its listed cluster") {
    def eu(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1"), "old" -> has(0 -> end).of("T2")).of("K1")
    val begun        = Query(fromEarliest).sees(listed("eu" -> topics("orders", "old")))(eu(10)).read
    val (run, held)  = running(euOnly, begun, eu(15))
    val lost         = answer("orders" -> has(0 -> 15).of("T1"), "old" -> has().of("T2").leaderless(0)).of("K1")
    val seen         = held.sees(euOnly)("eu" -> lost)
    // What a run that is not frozen does.
    assert(seen.outcome.isRight)
    val step = run.step(seen.input, fromEarliest)
    assert(step.isRight, step)
  }

  test(
    "a topic of it that can't be read any more fails the run, or is left out and has no part in its further targets"
  ) {
    val (run, held) = frozen()
    val seen        = answers("eu" -> answer("orders" -> has(0 -> 15).lacking("READ")).of("K-eu"), "us" -> us)
    val out         = stepped(run, held, seen, skipping)
    assertEquals(readable(out), Map("us" -> 15L))
    assertEquals(out.map(_.notices.map(_.warning.condition)), Right(Vector(Condition.NotAuthorized)))
    assertEquals(stepped(run, held, seen, fromEarliest).left.map(_.condition), Left(Condition.NotAuthorized))
  }

  test("what is skipped when the run begins has no target, and the last progress still shows it") {
    val (run, _) = frozen(answers = Seq("eu" -> answer("orders" -> hidden).of("K-eu"), "us" -> us))
    assertEquals(run.targets.clusters.keySet.map(_.value), Set.empty[String])
    assertEquals(run.standing.map(_.warning.condition), Vector(Condition.NotAuthorized))
  }

  test("a log that looked short is not read on while its cluster says nothing more of it") {
    val (run, held) = frozen()
    val id          = partition("eu", "orders", 0)
    val looked      = SuspectedLosses(cut = Map(id -> SuspectedCut(Agreement(begin, begin), true, 4, 0, 0)))
    val input       = StepInput(
      StepBasis(held, both),
      Set.empty,
      answers("eu" -> answer(), "us" -> answer()),
      Map.empty,
      begin,
      LastKnown(suspectedLosses = looked)
    )
    assertEquals(readable(run.step(input, skipping)), Map("us" -> 15L))
  }
}
