package io.github.dynamickafka.spark.diff

import scala.collection.immutable.SortedSet

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, TopicId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.reconcile.{ManyHistories, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.topology.{Pause, Topology}

/** A change with `continues` and pauses, foreseen and then made. The judge is what the query reads: of records that were
  * there, and of records that are written afterwards. All clusters hold the same records.
  */
class SuccessionPreviewSuite extends ManyHistories {
  private val ids     = Vector("a", "b", "c")
  private val earlier = Map("a" -> Set.empty[String], "b" -> Set("a"), "c" -> Set("a", "b"))
  private val names   = Vector("t", "u")

  /** One listed cluster: its topics, which of them are paused, and whether it says what it continues. */
  private case class Line(topics: Set[String], paused: Set[String], continues: Boolean)

  private val lines: Gen[Line] = for {
    topics    <- Gen.frequency(3 -> Gen.const(names), 2 -> Gen.someOf(names))
    paused    <- Gen.frequency(3 -> Gen.const(Nil), 1 -> Gen.someOf(names))
    continues <- Gen.frequency(4 -> true, 1 -> false)
  } yield Line(topics.toSet, paused.toSet, continues)

  private val topologies: Gen[Topology] = for {
    chosen <- Gen.someOf(ids)
    each   <- Gen.listOfN(chosen.size, lines)
  } yield listed(chosen.toVector.sorted.zip(each).map { case (id, line) =>
    val plain = topics(line.topics.toSeq: _*).copy(pause = Pause.Topics(line.paused.to(SortedSet)))
    id -> (if (line.continues) plain.copy(continues = earlier(id).map(ClusterId(_)).to(SortedSet)) else plain)
  }: _*)

  private val policies: Gen[ReconcilePolicy] =
    Gen.oneOf(RemovedClusterPolicy.Drain, RemovedClusterPolicy.Stop).map { removal =>
      fromEarliest.copy(removal = fromEarliest.removal.copy(policy = removal))
    }

  /** A query over logs that end here on all clusters. */
  private case class Run(query: Query, end: Int = 4) {
    def written: Run = copy(end = end + 3)

    private def answers = ids.map { id =>
      id -> answer(names.map(name => name -> has(0 -> end).of(s"$id-$name")): _*).of(s"K-$id")
    }

    /** Two triggers, so that what one begins the other may end. */
    def looked(topology: Topology): (Run, Vector[OffsetRange]) = {
      val first  = query.sees(topology)(answers: _*).read
      val second = first.sees(topology)(answers: _*).read
      copy(query = second) ->
        (OffsetRanges.between(query.held, first.held) ++ OffsetRanges.between(first.held, second.held))
    }
  }

  /** What was read of a topic: what was there already, and what came later. */
  private case class Read(id: TopicId, now: Vector[OffsetRange], later: Vector[OffsetRange])

  private def of(id: TopicId, ranges: Vector[OffsetRange]): Vector[OffsetRange] =
    ranges.filter(range => range.id.cluster == id.cluster && range.id.topic == id.name)

  private def next(held: SourceOffset, id: TopicId): Option[Long] =
    held.topic(id.cluster, id.name).flatMap(_.partitions.get(0)).map(_.next)

  property("what is foreseen of a change with successors and pauses is what a query reads afterwards") {
    forAll(policies, Gen.zip(topologies, topologies, topologies)) { (policy, changes) =>
      val (older, old, now) = changes
      val begun             = Run(Query(policy)).looked(older)._1.written.looked(old)._1.written
      val (reading, under)  = begun.looked(old)
      val before            = reading.written
      val seen              = ChangePreview.of(before.query.held, old, now, AssumedAnswers, policy, Situations.begin)
        .fold(failure => fail(failure.toString), identity)
      val (after, there) = before.looked(now)
      val (_, later)     = after.written.looked(now)
      val foreseen       = seen.effects.map(one => one.id -> one).toMap
      for (cluster <- ids; name <- names) {
        val id = TopicId(ClusterId(cluster), name)
        judge(
          foreseen.get(id),
          Read(id, of(id, there), of(id, later)),
          of(id, under).nonEmpty,
          before,
          id,
          StepBasis(before.query.held, old)
        )
      }
      Prop.passed
    }
  }

  private def judge(
      foreseen: Option[TopicEffect],
      read: Read,
      readBefore: Boolean,
      before: Run,
      id: TopicId,
      basis: StepBasis
  ): Unit = {
    val clue                 = s"$foreseen, but read: $read, before: $readBefore, held: ${before.query.held}, $basis"
    def from                 = read.now.headOption.map(_.from)
    def isRead(yes: Boolean) = assertEquals(read.later.nonEmpty, yes, clue)
    def begins(at: Option[Long]) = assertEquals(from, at, clue)
    foreseen.map(_.effect) match {
      case None =>
        isRead(readBefore)
        if (readBefore) begins(next(before.query.held, id))
      case Some(Effect.Starts)        => isRead(true); begins(Some(0L))
      case Some(Effect.Resumes)       => isRead(true); begins(next(before.query.held, id))
      case Some(Effect.TakesOver(of)) => isRead(true); begins(next(before.query.held, id.copy(cluster = of)))
      case Some(Effect.Drains)        =>
        isRead(false)
        assertEquals(read.now.lastOption.map(_.until), Some(before.end.toLong), clue)
      case Some(Effect.StandsBy(_, was)) =>
        assertEquals(was, readBefore, clue)
        isRead(false)
        begins(None)
      case Some(Effect.Pauses | Effect.Held | Effect.Stops | _: Effect.HandsOver | Effect.Leaves | Effect.Forgotten) =>
        isRead(false)
        begins(None)
      case Some(other) => fail(s"$other was not to be expected. $clue")
    }
  }
}
