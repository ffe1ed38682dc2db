package io.github.dynamickafka.spark.kafka.admin

import scala.collection.mutable

import io.github.dynamickafka.spark.reconcile.observed.{Extent, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Answered

class TopicProbeSuite extends Probes {
  private def looked(calls: PendingCalls, look: TopicProbe): Unit = {
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.last.complete(orders("T1", 0))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 5L))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> present("T1", 0 -> Extent(0, 5)))))
    calls.topicCalls.clear()
    calls.earliest.clear()
    calls.latest.clear()
    calls.ids.clear()
  }

  private def present(id: String, extents: (Int, Extent)*) = TopicObservation.Present(Some(id), extents.toMap)

  /** One that has looked once. */
  private def seen(calls: PendingCalls): TopicProbe = {
    val look = looking(calls)
    looked(calls, look)
    look
  }

  test("where only what is committed is read, a log may end later than what may be read of it, and never earlier") {
    val calls  = new PendingCalls(committedOnly = true)
    val answer = looking(calls).at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(orders("T1", 0, 1, 2))
    calls.earliest.head._2.complete(offsets(0 -> 0L, 1 -> 0L, 2 -> 0L))
    calls.latest.head._2.complete(offsets(0 -> 4L, 1 -> 6L, 2 -> 1L))
    assert(calls.ids.isEmpty, "the ends of the logs are waited for")
    calls.ends.head.complete(offsets(0 -> 9L, 1 -> 5L))
    calls.ids.head.complete(Some("K"))
    val extents = Seq(0 -> Extent(0, 4, 9), 1 -> Extent(0, 6, 6))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> present("T1", extents: _*))))
  }

  test("the first look asks for topics, then for their offsets, then for the cluster's id") {
    val calls  = new PendingCalls
    val answer = looking(calls).at(Set("orders"), waited, patient)
    assertEquals((calls.topicCalls.size, calls.latest.size, calls.ids.size), (1, 0, 0))
    calls.topicCalls.head.complete(orders("T1", 0, 1))
    assertEquals(
      (calls.earliest.map(_._1), calls.latest.map(_._1)),
      (mutable.Buffer(Set(0, 1)), mutable.Buffer(Set(0, 1)))
    )
    calls.earliest.head._2.complete(offsets(0 -> 1L, 1 -> 0L))
    assertEquals(calls.ids.size, 0)
    // Nothing is reported about a partition that was just deleted.
    calls.latest.head._2.complete(offsets(0 -> 7L))
    assert(!answer.isDone)
    calls.ids.head.complete(None)
    assertEquals(answer.join, Answered(None, Map("orders" -> present("T1", 0 -> Extent(1, 7)))))
  }

  test("a further look asks for topics and offsets at once, and for the cluster's id after both") {
    val calls  = new PendingCalls
    val look   = seen(calls)
    val answer = look.at(Set("orders"), waited, patient)
    assertEquals((calls.topicCalls.size, calls.earliest.size, calls.latest.size, calls.ids.size), (1, 1, 1, 0))
    calls.earliest.head._2.complete(offsets(0 -> 2L))
    calls.latest.head._2.complete(offsets(0 -> 9L))
    assertEquals(calls.ids.size, 0)
    calls.topicCalls.head.complete(orders("T1", 0))
    calls.ids.head.complete(Some("K"))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> present("T1", 0 -> Extent(2, 9)))))
    assertEquals(calls.latest.size, 1)
  }

  test("a partition that came is asked for its offsets in the same look") {
    val calls  = new PendingCalls
    val look   = seen(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(orders("T1", 0, 1))
    assertEquals(calls.latest.map(_._1), mutable.Buffer(Set(0), Set(0, 1)))
    calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 6L, 1 -> 3L))
    assertEquals(
      answer.join,
      Answered(Some("K"), Map("orders" -> present("T1", 0 -> Extent(0, 6), 1 -> Extent(0, 3))))
    )
  }

  test("offsets that were asked for before a topic was re-created are not taken for those of the new topic") {
    val calls  = new PendingCalls
    val look   = seen(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.earliest.head._2.complete(offsets(0 -> 0L))
    calls.latest.head._2.complete(offsets(0 -> 1000L))
    calls.topicCalls.head.complete(orders("T2", 0))
    calls.complete(offsets(0 -> 0L), offsets(0 -> 3L))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> present("T2", 0 -> Extent(0, 3)))))
  }

  test("a deleted topic is reported at once, though brokers are still asked for its offsets") {
    val calls  = new PendingCalls
    val look   = seen(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(Map("orders" -> TopicAnswer.Absent))
    calls.earliest.drop(1).foreach(_._2.complete(Offsets(Map.empty)))
    calls.latest.drop(1).foreach(_._2.complete(Offsets(Map.empty)))
    calls.ids.head.complete(Some("K"))
    assertEquals(answer.join, Answered(Some("K"), Map("orders" -> TopicObservation.Absent)))
  }

  test("offsets are asked for only of the topics that are looked at") {
    val calls = new PendingCalls
    val look  = seen(calls)
    look.at(Set("refunds"), waited, patient)
    assertEquals(calls.latest.size, 0)
    calls.topicCalls.head.complete(Map("refunds" -> TopicShape(Some("T3"), Vector(4))))
    assertEquals(calls.latest.map(_._1), mutable.Buffer(Set(4)))
  }

  test("a look fails when there are no offsets of topics that stayed the same") {
    val calls  = new PendingCalls
    val look   = seen(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(orders("T1", 0))
    calls.earliest.head._2.complete(offsets(0 -> 0L))
    calls.latest.head._2.completeExceptionally(new java.io.IOException("reset"))
    assert(answer.isCompletedExceptionally)
  }

  test("while nobody leads a partition no offsets are asked for") {
    val calls          = new PendingCalls
    val (look, pauses) = pausing(calls)
    val answer         = look.at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(leaderless(1))
    assertEquals((pauses.size, calls.latest.size), (1, 0))
    pauses.head.complete(null)
    calls.topicCalls(1).complete(leaderless())
    assertEquals(calls.latest.map(_._1), mutable.Buffer(Set(0, 1)))
    calls.complete(offsets(0 -> 0L, 1 -> 0L), offsets(0 -> 1L, 1 -> 2L))
    assertEquals(
      answer.join,
      Answered(Some("K"), Map("orders" -> present("T1", 0 -> Extent(0, 1), 1 -> Extent(0, 2))))
    )
  }

  test("a look that nobody waits for any more does not go on asking for a leader") {
    val calls = new PendingCalls
    looking(calls).at(Set("orders"), () => true, patient): Unit
    calls.topicCalls.head.complete(leaderless(1))
    assertEquals((calls.topicCalls.size, calls.latest.size), (1, 0))
  }

  test("asked again who leads, a look waits on") {
    val calls  = new PendingCalls
    val look   = looking(calls)
    val answer = look.at(Set("orders"), waited, patient)
    calls.topicCalls.head.complete(leaderless())
    look.askWhoLeads(Set("orders"))
    calls.topicCalls.last.complete(leaderless(0))
    assertEquals((answer.isDone, calls.topicCalls.size, calls.latest.size), (false, 2, 1))
  }
}
