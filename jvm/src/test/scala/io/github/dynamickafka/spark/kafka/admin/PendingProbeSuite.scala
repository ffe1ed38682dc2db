package io.github.dynamickafka.spark.kafka.admin

import java.util.concurrent.CompletableFuture

import scala.collection.immutable.SortedMap
import scala.collection.mutable

import org.apache.kafka.common.errors.{LeaderNotAvailableException, UnknownTopicOrPartitionException}

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.reconcile.observed.{Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

/** Looks at a cluster that can be read only in part. */
class PendingProbeSuite extends Probes {
  private def held(extents: Seq[(Int, Extent)], silent: (Int, ReadObstacle.Cause)*) = Answered(
    Some("K"),
    Map("orders" -> TopicObservation.Present(
      Some("T1"),
      extents.toMap,
      ReadObstacle(partitions = silent.to(SortedMap))
    ))
  )

  test("a partition that nobody leads for a while is reported as such, once, and the others are answered") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls)
    val patience       = new HeldWaits
    val answer         = look.at(Set("orders"), waited, patience)
    calls.topicCalls.last.complete(leaderless(1))
    patience.leader.complete(null)
    pauses.last.complete(null)
    calls.topicCalls.last.complete(leaderless(1))
    assertEquals(calls.latest.map(_._1), mutable.Buffer(Set(0)))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 4L))
    assertEquals(answer.join, held(Seq(0 -> Extent(0, 4)), 1 -> ReadObstacle.Leaderless))
    // The next look does not wait for it again.
    val next = look.at(Set("orders"), waited, new HeldWaits)
    calls.topicCalls.last.complete(leaderless(1))
    assertEquals((pauses.size, calls.latest.size), (1, 2))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 5L))
    assertEquals(next.join, held(Seq(0 -> Extent(0, 5)), 1 -> ReadObstacle.Leaderless))
  }

  test("a partition that the query has not chosen is not waited for, and not seen") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls, _ => Some(Set(0)))
    val answer         = look.at(Set("orders"), waited, new HeldWaits(WaitMode.UntilAnswered))
    calls.topicCalls.last.complete(leaderless(1))
    assertEquals(pauses.size, 0)
    calls.complete(offsets(0 -> 0L), offsets(0 -> 5L))
    assertEquals(answer.join, held(Seq(0 -> Extent(0, 5))))
  }

  test(
    "a partition whose leader does not answer is asked again only once the question has ended, and then has its time"
  ) {
    val calls    = new PendingCalls
    val look     = looking(calls)
    val question = new CompletableFuture[Long]
    val answer   = look.at(Set("orders"), waited, patient)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    val owing = offsets(0 -> 3L).copy(silent = Map(orders(1) -> question))
    calls.complete(offsets(0 -> 0L, 1 -> 0L), owing)
    assertEquals(answer.join, held(Seq(0 -> Extent(0, 3)), 1 -> ReadObstacle.NoAnswer))
    val second = look.at(Set("orders"), waited, patient)
    assertEquals(calls.latest.last._1, Set(0))
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 4L))
    assertEquals(second.join, held(Seq(0 -> Extent(0, 4)), 1 -> ReadObstacle.NoAnswer))
    question.complete(7L)
    look.at(Set("orders"), waited, patient): Unit
    assertEquals((calls.latest.last._1, patient.lateAnswers.contains(calls.patience.last)), (Set(0, 1), true))
  }

  test("a partition that loses its leader while its offsets are awaited is reported as one without a leader") {
    val calls  = new PendingCalls
    val look   = looking(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    look.askWhoLeads(Set("orders"))
    calls.topicCalls.last.complete(leaderless(1))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 3L).copy(silent = Map(orders(1) -> new CompletableFuture[Long])))
    assertEquals(answer.join, held(Seq(0 -> Extent(0, 3)), 1 -> ReadObstacle.Leaderless))
  }

  test("a leader that never gave its last answer is asked again beside a limited look, which does not wait for it") {
    val calls  = new PendingCalls
    val look   = looking(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.last.complete(orders("T1", 0))
    calls.complete(offsets(0 -> 0L), failed(0))
    assertEquals(answer.join, held(Seq.empty, 0 -> ReadObstacle.NoAnswer))
    for (_ <- 1 to 2) {
      val next = look.at(Set("orders"), waited, patient)
      calls.topicCalls.last.complete(orders("T1", 0))
      calls.ids.last.complete(Some("K"))
      assertEquals(next.join, held(Seq.empty, 0 -> ReadObstacle.NoAnswer))
      assertEquals((calls.latest.size, calls.earliest.size), (2, 1), "one question is under way at a time")
    }
    calls.asides(orders(0)).complete(7L)
    look.at(Set("orders"), waited, patient): Unit
    assertEquals((calls.earliest.last._1, patient.lateAnswers.contains(calls.patience.last)), (Set(0), true))
  }

  private def failed(number: Int) =
    Offsets(Map.empty, Map(orders(number) -> CompletableFuture.failedFuture[Long](new Exception)))

  test("who needs a cluster asks and waits anew for all that an earlier look left unanswered") {
    for (left <- Seq("no leader", "no answer yet", "a failure")) {
      val calls          = new PendingCalls
      val (look, pauses) = pausing(calls)
      val patience       = new HeldWaits
      val limited        = look.at(Set("orders"), waited, patience)
      patience.leader.complete(null)
      calls.topicCalls.last.complete(if (left == "no leader") leaderless(0, 1) else orders("T1", 0, 1))
      if (left != "no leader") {
        calls.earliest.last._2.complete(offsets(0 -> 0L, 1 -> 0L))
        calls.latest.last._2.complete(
          if (left == "a failure") failed(1).copy(found = Map(orders(0) -> FoundOffset(3)))
          else offsets(0 -> 3L).copy(silent = Map(orders(1) -> new CompletableFuture[Long]))
        )
      }
      calls.ids.last.complete(Some("K"))
      assert(limited.isDone)
      val needs  = new HeldWaits(WaitMode.UntilAnswered)
      val answer = look.at(Set("orders"), waited, needs)
      if (left == "no leader") {
        calls.topicCalls.last.complete(leaderless(0, 1))
        pauses.last.complete(null)
      }
      calls.topicCalls.last.complete(orders("T1", 0, 1))
      assertEquals((calls.latest.last._1, needs.answers.contains(calls.patience.last)), (Set(0, 1), true))
      calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 3L, 1 -> 5L))
      assertEquals(answer.join, held(Seq(0 -> Extent(0, 3), 1 -> Extent(0, 5))))
    }
  }

  test("offsets that are asked for again, because topics have changed, are waited for anew") {
    val calls = new PendingCalls
    val look  = looking(calls)
    look.at(Set("orders"), waited, new HeldWaits): Unit
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 3L, 1 -> 3L))
    // Describing the topics takes longer than the answers to the first question are waited for.
    val waits  = new HeldWaits
    val answer = look.at(Set("orders"), waited, waits)
    waits.answers.foreach(_.complete(null))
    waits.leader.complete(null)
    calls.topicCalls.last.complete(leaderless(1))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 4L))
    assertEquals(answer.join, held(Seq(0 -> Extent(0, 4)), 1 -> ReadObstacle.Leaderless))
  }

  test("a topic whose leaders are not known yet is asked for again, as long as leaders are waited for") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls)
    val patience       = new HeldWaits
    val answer         = look.at(Set("orders"), waited, patience)
    calls.topicCalls.last.completeExceptionally(new LeaderNotAvailableException("soon"))
    pauses.last.complete(null)
    patience.leader.complete(null)
    calls.topicCalls.last.completeExceptionally(new LeaderNotAvailableException("still"))
    assertEquals((calls.topicCalls.size, answer.isCompletedExceptionally), (2, true))
  }

  test("a topic that we may not see is hidden, also where that shows only when its offsets are asked for") {
    val calls  = new PendingCalls
    val answer = looking(calls).at(Set("orders", "refunds"), waited, patient)
    calls.topicCalls.last.complete(orders("T1", 0).updated("refunds", TopicAnswer.Denied))
    calls.complete(offsets(0 -> 0L), Offsets(Map.empty, denied = Set("orders")))
    val hidden = TopicObservation.Hidden
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> hidden, "refunds" -> hidden)))
  }

  test("a topic that may be described and not read is there, with the operation that is missing") {
    val calls  = new PendingCalls
    val answer = looking(calls).at(Set("orders"), waited, patient)
    calls.topicCalls.last.complete(Map("orders" -> TopicShape(Some("T1"), Vector(0), missing = Vector("READ"))))
    calls.complete(offsets(0 -> 1L), offsets(0 -> 2L))
    val seen = TopicObservation.Present(Some("T1"), Map(0 -> Extent(1, 2)), ReadObstacle(Vector("READ")))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> seen)))
  }

  private def unknown(number: Int) = offsets(0 -> 3L).copy(
    unknown = Map(orders(number) -> CompletableFuture.failedFuture[Long](new UnknownTopicOrPartitionException))
  )

  test("a partition that one broker reports, and another one does not know, is asked for again with its topic") {
    for (waitMode <- Seq(WaitMode.Limited, WaitMode.UntilAnswered)) {
      val calls          = new PendingCalls
      val (look, pauses) = pausing(calls)
      val answer         = look.at(Set("orders"), waited, new HeldWaits(waitMode))
      calls.topicCalls.last.complete(orders("T1", 0, 1))
      calls.earliest.last._2.complete(offsets(0 -> 0L))
      calls.latest.last._2.complete(unknown(1))
      assertEquals((answer.isDone, calls.ids.size, pauses.size), (false, 0, 1))
      pauses.last.complete(null)
      calls.topicCalls.last.complete(orders("T1", 0, 1))
      calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 3L, 1 -> 5L))
      assertEquals(answer.join, held(Seq(0 -> Extent(0, 3), 1 -> Extent(0, 5))))
    }
  }

  test("a topic of which the next look at its partitions hears that it is gone was just deleted") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls)
    val answer         = look.at(Set("orders"), waited, new HeldWaits)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.earliest.last._2.complete(offsets(0 -> 0L))
    calls.latest.last._2.complete(unknown(1))
    pauses.last.complete(null)
    calls.topicCalls.last.complete(Map("orders" -> TopicAnswer.Absent))
    calls.ids.last.complete(Some("K"))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> TopicObservation.Absent)))
  }

  test("a partition that stays unknown can't be read now, until it is known") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls)
    val patience       = new HeldWaits
    patience.leader.complete(null)
    val answer = look.at(Set("orders"), waited, patience)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.complete(offsets(0 -> 0L), unknown(1))
    assertEquals((answer.join, pauses.size), (held(Seq(0 -> Extent(0, 3)), 1 -> ReadObstacle.NoAnswer), 0))
    val next = look.at(Set("orders"), waited, patience)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.asides(orders(1)).complete(5L)
    calls.earliest.last._2.complete(offsets(0 -> 0L))
    calls.latest.filter(_._1 == Set(0)).last._2.complete(offsets(0 -> 3L))
    calls.ids.last.complete(Some("K"))
    assertEquals(next.join, held(Seq(0 -> Extent(0, 3)), 1 -> ReadObstacle.NoAnswer))
    val known = look.at(Set("orders"), waited, patience)
    calls.topicCalls.last.complete(orders("T1", 0, 1))
    calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 3L, 1 -> 5L))
    assertEquals(known.join, held(Seq(0 -> Extent(0, 3), 1 -> Extent(0, 5))))
  }
}
