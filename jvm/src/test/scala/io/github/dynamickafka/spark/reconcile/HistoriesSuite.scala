package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{FakeKafka, Query, Seen, Situations}
import io.github.dynamickafka.spark.fakes.FakeKafka._
import io.github.dynamickafka.spark.fakes.RandomEvents._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, OffsetJson, SourceOffset}
import io.github.dynamickafka.spark.options.{RemovalSettings, RemovedClusterPolicy, UnavailableClusterPolicy}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges, ReadBudget}
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, LastKnown}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** Random histories of topologies, clusters, answers of any age and limits, each step held against a naive reader. Partitions lose
  * their leaders, and drains are given up. Between two steps little is remembered but the text of the last logged offset, so that
  * every step is nearly a restart.
  *
  * Left out: duplicates and logs that are cut off, which stories tell, and `continues`, which other histories have.
  */
class HistoriesSuite extends ManyHistories {
  private val listings: Gen[Event] =
    lists(Gen.frequency[Iterable[String]](4 -> Gen.const(topicNames), 3 -> Gen.someOf(topicNames)))

  private val replies: Gen[Reply] = Gen.frequency(
    8 -> Gen.const(Whole),
    4 -> Gen.const(Again),
    1 -> Gen.const(Down),
    1 -> Gen.const(Stranger),
    2 -> parts,
    4 -> Gen.oneOf(0 to 2).map(unled => Hampered(Set.empty, Set.empty, Set(unled))),
    2 -> Gen.zip(Gen.someOf(topicNames), Gen.someOf(topicNames), Gen.someOf(0 to 2)).map {
      case (hidden, barred, none) =>
        Hampered(hidden.toSet, barred.toSet, none.toSet)
    }
  )

  private val givings: Gen[Event] = Gen.zip(Gen.someOf(0 to 9), Gen.choose(0, 9)).map {
    case (whose, tenths) => GiveBack(whose.toSet, tenths)
  }

  private val events: Gen[Event] = Gen.frequency(
    12 -> triggers(12L, replies),
    8  -> writes,
    3  -> widenings,
    4  -> listings,
    4  -> edits,
    1  -> agings,
    1  -> recreations,
    2  -> deletions,
    2  -> sleeps,
    6  -> givings,
    2  -> pauses,
    1  -> Gen.const(Crash)
  )

  private val policies: Gen[ReconcilePolicy] =
    for {
      starting    <- ofQuery
      newCluster  <- ofQuery
      removal     <- Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop)
      retention   <- Gen.oneOf(0, 10, 1000)
      unavailable <- Gen.oneOf(UnavailableClusterPolicy.Fail, UnavailableClusterPolicy.Skip)
      strict      <- Gen.oneOf(true, false, false)
    } yield ReconcilePolicy(
      starting,
      newCluster,
      RemovalSettings(removal, Duration.ofHours(1), Duration.ofHours(retention.toLong)),
      unavailable,
      strict,
      Situations.policy.agreement,
      Situations.policy.settling
    )

  // Of these clusters one failed try ends a drain.
  private val inactives: Gen[Set[String]] =
    Gen.frequency(2 -> Gen.const(Set.empty[String]), 1 -> Gen.someOf(clusterNames).map(_.toSet))

  private val histories: Gen[List[Event]] = Gen.choose(5, 60).flatMap(Gen.listOfN(_, events))

  /** What a cluster answered last, and what it was then. */
  private case class AskOutcome(answer: ClusterObservation, kafka: FakeKafka)

  /** @param logged all logged offsets, the newest first, each with the ranges of its batch
    * @param said what each cluster answered last
    */
  private case class Run(
      kafka: FakeKafka,
      query: Query,
      naive: NaiveReader,
      logged: List[(SourceOffset, Vector[OffsetRange])],
      turn: Option[PartitionId],
      said: Map[String, AskOutcome] = Map.empty,
      back: Deferred = Deferred.nothing
  ) {
    def after(event: Event): Run = {
      val here = event match {
        case trigger: Trigger => rewound.triggered(trigger, this)
        case giving: GiveBack => givesBack(giving)
        case Crash            => crashed
        case _                => this
      }
      here.copy(kafka = here.kafka.after(event))
    }

    /** From here on everything is listed and answers, nothing ends, and loss is no failure. */
    def healed: Run = {
      def heal(policy: ReconcilePolicy) = policy.copy(failOnDataLoss = false)
      val endless                       = clusterNames.map(id => id -> kafka.texts(id).copy(ending = None)).toMap
      val all = kafka.copy(listed = clusterNames.map(_ -> topicNames.toSet).toMap, own = endless, paused = Map.empty)
      val healthy = copy(kafka = all, query = query.under(heal), naive = naive.copy(policy = heal(naive.policy)))
      healthy.after(everything).after(everything)
    }

    private def everything: Trigger = Trigger(None, clusterNames.map(_ -> Whole).toMap)

    private def crashed: Run = copy(
      query = query.copy(known = LastKnown.nothing, last = None),
      naive = naive.copy(absent = Map.empty, failing = Map.empty),
      said = Map.empty
    )

    /** Of some ranges of the last batch, what lies behind so many tenths of it. */
    private def givesBack(giving: GiveBack): Run = if (!back.isEmpty) this
    else copy(back =
      Deferred(PartitionMap.from(for {
        (offset, ranges) <- logged.headOption.toVector if offset == query.held
        (range, n)       <- ranges.zipWithIndex if giving.whose(n)
        from = range.from + (range.until - range.from) * giving.tenths / 10
      } yield range.id -> DeferredPart(from, range.until, offset.get(range.id).get.incarnation)))
    )

    private def rewound: Run = if (back.isEmpty) this
    else {
      def stopped(id: ClusterId, name: String) =
        query.policy.removal.policy == RemovedClusterPolicy.Stop && !kafka.topology.lists(id, name)
      copy(
        query = query.copy(held = back.rewind(query.held, stopped, kafka.now)),
        naive = naive.givingBack(back, (id, name) => stopped(ClusterId(id), name), kafka.now)
      )
    }

    private def triggered(trigger: Trigger, before: Run): Run = {
      val newest  = trigger.replies.map { case (id, reply) => id -> saying(id, reply) }
      val answers = newest.map { case (id, here) => id -> here.answer }
      val asked   = newest.map { case (id, here) => ClusterId(id) -> here.kafka.now }
      val seen    = query.copy(now = kafka.now).sees(kafka.topology, resolve(newest), asked)(answers.toSeq: _*)
      val naively = naive.sees(kafka, answers.map { case (id, answer) => id -> recognised(answer) }, newest(_).kafka)
      val after   = naively match {
        case None =>
          assert(seen.outcome.isLeft, s"should fail: ${seen.outcome}")
          before
        case Some(proposal) => stepped(seen, proposal, trigger.limit, newest)
      }
      after.copy(said = newest)
    }

    private def resolve(newest: Map[String, AskOutcome]): Situations.Resolve =
      Function.unlift(question => newest(question.id.cluster.value).kafka.resolve.lift(question))

    private def saying(id: String, reply: Reply): AskOutcome = said.get(id).filter { before =>
      reply == Again && before.kafka.topology == kafka.topology && before.answer.isInstanceOf[Answered]
    }.getOrElse(AskOutcome(kafka.answer(id, believed(id, reply)), kafka))

    // Of whom nothing is held can't be distinguished from a stranger.
    private def believed(id: String, reply: Reply): Reply = if (reply == Stranger && !naive.has(id)) Down else reply

    private def recognised(answer: ClusterObservation): ClusterObservation = answer match {
      case Answered(Some("another"), _) => Situations.down
      case other                        => other
    }

    private def stepped(seen: Seen, proposal: Proposal, limit: Option[Long], newest: Map[String, AskOutcome]): Run = {
      assertEquals(seen.step.readable, proposal.readable)
      assertEquals(seen.offset.partitions.map { case (id, at) => id -> at.next }.toMap, proposal.reader.next)
      assertEquals(
        seen.urgent,
        proposal.urgent,
        s"${OffsetJson.write(query.held)}, then ${OffsetJson.write(seen.offset)}"
      )
      val moves = limited(proposal, limit)
      val some  = seen.readSome(_ => moves)
      // What was deferred is recorded at once.
      val logged =
        if (back.isEmpty) some else some.copy(held = OffsetJson.read(OffsetJson.write(seen.step.moved(moves))))
      if (moves.isEmpty && !proposal.urgent && back.isEmpty) {
        assertEquals(logged.held, query.held)
        copy(
          query = query.copy(known = query.known.copy(tries = logged.known.tries)),
          naive = naive.copy(failing = proposal.reader.failing)
        )
      } else {
        assertEquals(logged.held, seen.offset.moved(moves), "the text of the offset has less than the offset")
        noStepBack(query.held, logged.held)
        val ranges = OffsetRanges.between(query.held, logged.held)
        assertEquals(
          ranges.map(range => (range.id, range.from, range.until)),
          moves.toVector.sortBy(_._1).map { case (id, until) => (id, proposal.reader.next(id), until) }
        )
        assertEquals(OffsetRanges.between(this.logged.headOption.fold(SourceOffset.initial)(_._1), logged.held), ranges)
        if (limit.isEmpty) quietAfter(logged, seen, newest)
        copy(
          query = logged,
          naive = proposal.reader.moved(moves),
          logged = (logged.held, ranges) :: this.logged,
          back = Deferred.nothing,
          turn = ReadBudget.turned(moves.keysIterator, turn)
        )
      }
    }

    private def limited(proposal: Proposal, limit: Option[Long]): Map[PartitionId, Long] = {
      val next    = proposal.reader.next
      val backlog = proposal.readable.toVector.map { case (id, until) => id -> (until - next(id)) }
      limit.fold(proposal.readable) { most =>
        ReadBudget.spread(PartitionMap.from(backlog), most, turn).map { case (id, count) =>
          id -> (next(id) + count)
        }
      }
    }

    /** The same answers, looked at again, have nothing new. They keep the times of their asks: at another time, one answer
      * would be evidence twice.
      */
    private def quietAfter(logged: Query, seen: Seen, newest: Map[String, AskOutcome]): Unit = {
      val answers = seen.input.seen.map { case (id, answer) => id.value -> answer }.toSeq
      val asked   = answers.map { case (id, _) => ClusterId(id) -> seen.ended(ClusterId(id)) }.toMap
      val again   = logged.sees(kafka.topology, resolve(newest), asked)(answers: _*)
      assertEquals(OffsetJson.write(again.read.held), OffsetJson.write(logged.held))
    }
  }

  private def noStepBack(before: SourceOffset, now: SourceOffset): Unit =
    before.partitions.foreach { case (id, was) =>
      now.get(id).foreach { is =>
        if (is.incarnation == was.incarnation)
          assert(is.start == was.start && is.next >= was.next, s"$id: $was, then $is")
        else assert(is.incarnation > was.incarnation, s"$id: $was, then $is")
      }
    }

  /** Between any two offsets that were logged lies just what was read in between of the incarnations that lead there. */
  private def gapsAreWhole(logged: Vector[(SourceOffset, Vector[OffsetRange])]): Unit =
    for {
      until <- logged.indices
      from  <- -1 until until
    } {
      val end   = logged(until)._1
      val start = if (from < 0) SourceOffset.initial else logged(from)._1
      val read  = for {
        (offset, ranges) <- logged.slice(from + 1, until + 1)
        range            <- ranges if offset.get(range.id).map(_.incarnation) == end.get(range.id).map(_.incarnation)
      } yield range
      val joined = read.groupBy(_.id).toVector.sortBy(_._1).map { case (id, parts) =>
        assert(parts.zip(parts.drop(1)).forall { case (a, b) => a.until == b.from }, s"not in one piece: $parts")
        (id, parts.head.from, parts.last.until)
      }
      val found = OffsetRanges.between(start, end).map(range => (range.id, range.from, range.until))
      assertEquals(found, joined, s"from offset $from to offset $until")
    }

  property("each record is read once and in order, whatever happens, and between any two offsets lies what was read") {
    forAll(policies, inactives, histories) { (policy, inactive, history) =>
      val query = Query(policy, inactive = inactive.map(ClusterId(_)))
      val naive = NaiveReader(policy, inactive = inactive)
      val run   = history.foldLeft(Run(FakeKafka(), query, naive, Nil, None))(_ after _).healed
      val held  = run.query.held
      gapsAreWhole(run.logged.reverse.toVector)
      val ends = for {
        ((cluster, name), topic) <- run.kafka.topics
        (n, extent)              <- topic.extents
      } yield Situations.partition(cluster, name, n) -> extent.latest
      // A topic that is deleted while it is listed is waited for.
      val there = held.partitions.filter { case (id, _) =>
        run.kafka.topics.contains(id.cluster.value -> id.topic)
      }.toMap
      // Own offsets may name a start beyond the end.
      val read = there.transform((id, at) => if (at.wasRead) at.next else Math.min(at.next, ends(id)))
      assertEquals(read, ends)
      Prop.passed
    }
  }
}
