package io.github.dynamickafka.spark.diff

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.fakes.{FakeKafka, Query, RandomEvents, Situations}
import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.reconcile.{
  ManyHistories,
  NaiveReader,
  OffsetQuestions,
  Proposal,
  ReconcilePolicy,
  StepBasis
}
import io.github.dynamickafka.spark.topology.Topology

/** A change of a random topology, foreseen and then made. The judge of what a query does is the naive reader, which knows
  * nothing of offsets and answers.
  *
  * Left out, since the naive reader does not know them: `continues`, pauses, endings. `SuccessionPreviewSuite` has the
  * first two.
  */
class ChangePreviewHistoriesSuite extends ManyHistories {
  private val everywhere = for (cluster <- clusterNames; topic <- topicNames) yield cluster -> topic

  private val lists: Gen[Map[String, Set[String]]] =
    Gen.someOf(clusterNames).flatMap(clusters =>
      Gen.listOfN(clusters.size, Gen.someOf(topicNames)).map(each => clusters.zip(each.map(_.toSet)).toMap)
    )

  private val worlds: Gen[FakeKafka] = for {
    widths <- Gen.listOfN(everywhere.size, Gen.choose(1, 3))
    writes <- Gen.listOf(Gen.zip(Gen.oneOf(everywhere), Gen.choose(0, 2), Gen.choose(1, 9)))
  } yield {
    val widened = everywhere.zip(widths).flatMap { case (name, width) => Vector.fill(width)(Widen(name): Event) }
    (widened ++ writes.map { case (name, partition, count) => Write(name, partition, count) }).foldLeft(FakeKafka())(
      _ after _
    )
  }

  private val policies: Gen[ReconcilePolicy] =
    Gen.zip(
      RandomEvents.rules,
      RandomEvents.rules,
      Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop)
    ).map {
      case (starting, newCluster, removal) => Situations.policy.copy(
          starting = starting,
          newCluster = newCluster,
          removal = Situations.policy.removal.copy(policy = removal)
        )
    }

  /** What the clusters of a kafka answer. */
  final private class OfKafka(kafka: FakeKafka) extends AnswerSource {
    override val real: Boolean = true

    override def to(basis: StepBasis, policy: ReconcilePolicy): Either[Failure, PreviewAnswers] = {
      val asked = new OffsetQuestions(basis, policy).topics.keySet
      Right(PreviewAnswers(asked.map(id => id -> kafka.answer(id.value, Whole)).toMap, Map.empty))
    }
  }

  /** A query, and the naive reader beside it. */
  private case class Run(kafka: FakeKafka, query: Query, naive: NaiveReader) {
    def listing(lists: Map[String, Set[String]]): Run = copy(kafka = kafka.after(Lists(lists)))

    def written: Run = {
      val more = for ((name, topic) <- kafka.topics.toVector; n <- topic.logs.indices) yield Write(name, n, 2)
      copy(kafka = more.foldLeft(kafka)(_ after _))
    }

    def proposal: Proposal = {
      val answers = clusterNames.map(id => id -> kafka.answer(id, Whole)).toMap
      naive.sees(kafka, answers, _ => kafka).getOrElse(fail("it should not fail"))
    }

    /** One trigger that reads of each partition at most so much. */
    def looked(most: Long): Run = {
      val (said, answers) = (proposal, clusterNames.map(id => id -> kafka.answer(id, Whole)))
      val moves           = said.readable.map { case (id, until) => id -> Math.min(until, said.reader.next(id) + most) }
      val seen            = query.copy(now = kafka.now).sees(kafka.topology, kafka.resolve)(answers: _*)
      Run(kafka.after(Sleep(0)), seen.readSome(_ => moves), said.reader.moved(moves))
    }
  }

  private def text(name: Name, effect: String): String = s"${name._1} ${name._2} $effect"

  /** What the naive reader does about the change that is listed now. */
  private def really(before: Run, was: Map[String, Set[String]], is: Map[String, Set[String]]): Set[String] = {
    val after                                             = before.proposal
    def lists(some: Map[String, Set[String]], name: Name) = some.get(name._1).exists(_(name._2))
    def own[A](of: Map[PartitionId, A], name: Name)       = of.filter { case (id, _) =>
      id.cluster.value == name._1 && id.topic == name._2
    }
    everywhere.flatMap { name =>
      (lists(was, name), lists(is, name)) match {
        case (true, false) =>
          val gone = after.reader.removed(name)
          Some(text(name, if (gone.unfinished(name, after.reader.next)) "drains" else "stops"))
        case (false, true) if before.naive.topics.contains(name) => Some(text(name, "resumes"))
        case (false, true)                                       =>
          val begun = own(after.reader.next, name)
          val ends  = before.kafka.topics(name).extents
          val early = begun.forall { case (id, at) => at == ends(id.partition).earliest }
          Some(text(name, if (early) "starts earliest" else "starts latest"))
        case _ => None
      }
    }.toSet
  }

  private def foreseen(
      held: SourceOffset,
      old: Topology,
      now: Topology,
      answers: AnswerSource,
      policy: ReconcilePolicy
  ) =
    ChangePreview.of(held, old, now, answers, policy, Situations.begin).fold(
      failure => fail(failure.toString),
      identity
    )

  private def effects(preview: ChangePreview): Set[String] = preview.effects.map { one =>
    text(one.id.cluster.value -> one.id.name, (one.effect.name +: one.starts).mkString(" "))
  }.toSet

  private def topology(lists: Map[String, Set[String]]): Topology = FakeKafka(listed = lists).topology

  property("what is foreseen of a change, with a checkpoint and without, is what a query does about it") {
    forAll(policies, worlds, Gen.zip(lists, lists, lists), Gen.oneOf(true, false), Gen.choose(1L, 9L)) {
      (policy, kafka, changes, plain, most) =>
        val (first, second, is) = changes
        val (older, was)        = if (plain) (second, second) else (first, second)
        val started             = Run(kafka, Query(policy), NaiveReader(policy)).listing(older).looked(most)
        val before              = started.listing(was).looked(most).written.listing(is)
        val did                 = really(before, was, is)
        val (old, now)          = (topology(was), topology(is))
        assertEquals(effects(foreseen(before.query.held, old, now, AssumedAnswers, policy)), did)
        if (plain) assertEquals(effects(foreseen(SourceOffset.initial, old, now, AssumedAnswers, policy)), did)
        val asked = foreseen(before.query.held, old, now, new OfKafka(before.kafka), policy)
        assertEquals(effects(asked), did)
        records(before, asked)
        Prop.passed
    }
  }

  /** The numbers of records of what drains and starts. */
  private def records(before: Run, asked: ChangePreview): Unit = {
    val after = before.proposal
    asked.effects.foreach { one =>
      val TopicId(ClusterId(cluster), name) = one.id
      val next                              = after.reader.next.filter { case (id, _) =>
        id.cluster.value == cluster && id.topic == name
      }
      val expected = one.effect match {
        case Effect.Drains =>
          val targets = after.reader.removed(cluster -> name).targets.getOrElse(Map.empty)
          Some(targets.map { case (id, end) => end.fold(0L)(_ - next(id)) }.sum)
        case Effect.Starts | Effect.Resumes =>
          Some(next.map { case (id, at) => after.readable.get(id).fold(0L)(_ - at) }.sum)
        case Effect.Stops | Effect.Forgotten =>
          val ends = before.kafka.topics(cluster -> name).extents
          Some(next.map { case (id, at) => ends(id.partition).latest - at }.sum)
        case _ => None
      }
      assertEquals(one.records, expected, one)
      assertEquals(one.partitions, Some(next.size), one)
    }
  }
}
