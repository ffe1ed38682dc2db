package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.OffsetPoint.Timestamp
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** The ends that the metadata gives a cluster's part of a streaming query. */
class EndingsSuite extends FunSuite {
  private val query = Query(fromEarliest)

  private def ending(text: String): Topology = listed("eu" -> topics("orders").endingAt(text))

  private def eu(extents: (Int, Int)*) = "eu" -> answer("orders" -> has(extents: _*).of("T1")).of("K1")

  test("an exact end is exclusive, and a partition that is not named has none") {
    val first = query.sees(ending("""{"orders": {"0": 8}}"""))(eu(0 -> 5, 0 -> 5))
    assertEquals(first.ranges, Vector("eu orders 0 0-5", "eu orders 1 0-5"))
    val more = first.read.sees(ending("""{"orders": {"0": 8}}"""))(eu(0 -> 20, 0 -> 20))
    assertEquals(more.ranges, Vector("eu orders 0 5-8", "eu orders 1 5-20"))
    assertEquals(
      more.read.sees(ending("""{"orders": {"0": 8}}"""))(eu(0 -> 30, 0 -> 20)).step.readable.toVector,
      Vector.empty
    )
  }

  test("`latest` is resolved once, at first contact") {
    val first = query.sees(ending("latest"))(eu(0 -> 5))
    assertEquals(first.ranges, Vector("eu orders 0 0-5"))
    assertEquals(first.read.sees(ending("latest"))(eu(0 -> 9)).ranges, Vector.empty)
  }

  test("a time ends a partition only once it holds a record at or after it") {
    val cut   = ending("""{"timestamp": 900}""")
    val asked =
      (until: Option[Long]) => { case Question(_, Timestamp(900)) => until }: PartialFunction[Question, Option[Long]]
    val first = query.sees(cut, asked(None))(eu(0 -> 5))
    assertEquals(first.ranges, Vector("eu orders 0 0-5"))
    val second = first.read.sees(cut, asked(Some(7)))(eu(0 -> 9))
    assertEquals(second.ranges, Vector("eu orders 0 5-7"))
    assert(second.urgent, "an end is recorded at once")
    assertEquals(second.read.sees(cut, asked(Some(7)))(eu(0 -> 30)).step.readable.toVector, Vector.empty)
  }

  test("while a time was not reported, the partition is held rather than read past its end") {
    val seen = query.sees(ending("""{"timestamp": 900}"""))(eu(0 -> 5))
    assertEquals(seen.positions, Vector("eu orders 0 [0,0,0]"))
    assertEquals(seen.ranges, Vector.empty)
  }

  test("an end that lies before what was read moves no position back") {
    val read = query.sees(listed("eu" -> topics("orders")))(eu(0 -> 9)).read
    val seen = read.sees(ending("""{"orders": {"0": 4}}"""))(eu(0 -> 12))
    assertEquals(seen.positions, Vector("eu orders 0 [0,9,0]"))
  }

  private val finished = query.sees(ending("""{"orders": {"0": 8}}"""))(eu(0 -> 20)).read

  for (
    (name, topology) <-
      Seq("raised" -> ending("""{"orders": {"0": 12}}"""), "removed" -> listed("eu" -> topics("orders")))
  )
    test(s"an end that is $name resumes a finished partition where it was") {
      val until = if (name == "raised") 12 else 20
      assertEquals(finished.sees(topology)(eu(0 -> 20)).ranges, Vector(s"eu orders 0 8-$until"))
    }

  test("an end that is raised while the topic is paused resumes the partition when the pause is over") {
    val high   = topics("orders").endingAt("""{"orders": {"0": 12}}""")
    val paused = finished.sees(listed("eu" -> high.paused))(eu(0 -> 20)).read
    assertEquals(paused.sees(listed("eu" -> high))(eu(0 -> 20)).ranges, Vector("eu orders 0 8-12"))
  }

  test("once each partition that there may be has reached its end, the cluster is asked no more, and held as it is") {
    def asked(query: Query, topology: Topology) =
      new OffsetQuestions(StepBasis(query.held, topology), query.policy).topics.map { case (id, names) =>
        id.value -> names
      }
    val (ends, us)   = (ending("latest"), listed("us" -> topics("orders")))
    val both         = Topology(ends.clusters ++ us.clusters)
    val some         = query.sees(both)(eu(0 -> 5, 0 -> 5), "us" -> answer("orders" -> has(0 -> 1)))
    val orders       = Set("orders")
    val (part, over) = (some.readSome(_.filter { case (id, _) => id.partition == 0 }), some.read)
    assertEquals(asked(part, both), Map("eu" -> orders, "us" -> orders))
    assertEquals(asked(over, both), Map("us" -> orders))
    val goesOn = over.sees(both)("us" -> answer("orders" -> has(0 -> 3)))
    assertEquals(goesOn.ranges, Vector("us orders 0 1-3"))
    assertEquals(goesOn.read.held.clusters.head, over.held.clusters.head)
    val open = Seq(listed("eu" -> topics("orders")), ending("""{"*": "latest"}"""))
    for (other <- open :+ listed("eu" -> topics("orders", "new").endingAt("latest")))
      assert(asked(over, other).contains("eu"), other)
  }

  test("switched off then, it fails nothing after a fetch has left it out") {
    val ends = listed("eu" -> topics("orders").endingAt("""{"orders": {"0": 10, "*": "latest"}}"""))
    val over = Query(fromEarliest).sees(ends)("eu" -> answer("orders" -> has(0 -> 12)).of("K1")).read
    val back = over.sees(Topology.empty)("eu" -> down).read.sees(ends)("eu" -> down)
    assert(back.outcome.isRight, back.outcome.toString)
    assert(!policy.needs(ClusterId("eu"), back.step.roles))
    val shown = back.read.sees(ends)("eu" -> answer("orders" -> has(0 -> 12)).of("K1")).read
    assertEquals(shown.sees(ends)().input.seen.size, 0)
  }

  test("a finished topic that was off the list when its end was raised is read on when it is back") {
    def ends(topic: ListedCluster, at: Int) =
      listed("eu" -> topic.endingAt(s"""{"orders": {"0": $at, "*": "latest"}, "refunds": {"0": 5, "*": "latest"}}"""))
    val (both, rest) = (topics("orders", "refunds"), topics("refunds"))
    val kafka        = "eu" -> answer("orders" -> has(0 -> 40).of("T1"), "refunds" -> has(0 -> 9).of("T2")).of("K1")
    val done         = Query(fromEarliest).under(_ => skipping).sees(ends(both, 8))(kafka).read
    val away         = done.sees(ends(rest, 20))("eu" -> down).read
    assertEquals(away.sees(ends(both, 20))(kafka).ranges, Vector("eu orders 0 8-20"))
    assert(away.under(_ => fromEarliest).sees(ends(both, 20))("eu" -> down).outcome.isLeft)
  }

  test("a cluster with partitions that its ending offsets do not name is asked as long as it is listed") {
    val ends = ending("""{"orders": {"0": 5}}""")
    val read = query.sees(ends)(eu(0 -> 5)).read
    assertEquals(read.sees(ends)(eu(0 -> 9, 0 -> 2)).ranges, Vector("eu orders 1 0-2"))
  }

  test("another text resolves `latest` anew, once") {
    val old  = query.sees(ending("latest"))(eu(0 -> 5)).read
    val text = """{"orders": {"0": "latest"}}"""
    val seen = old.sees(ending(text))(eu(0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 0 5-9"))
    assertEquals(seen.read.sees(ending(text))(eu(0 -> 12)).ranges, Vector.empty)
  }

  for (
    (name, now) <- Seq("another text" -> """{"*": "latest"}""", "a time that lies ahead" -> """{"timestamp": 900}""")
  )
    test(s"$name is recorded at once, though there is nothing to read") {
      val old  = query.sees(ending("latest"))(eu(0 -> 5)).read
      val seen = old.sees(ending(now), at900(None))(eu(0 -> 5))
      assert(seen.urgent)
      assert(!seen.read.sees(ending(now), at900(None))(eu(0 -> 5)).urgent)
    }

  test("`latest` of another text is resolved once, though there was nothing to read") {
    val old  = query.sees(ending("latest"))(eu(0 -> 5)).read
    val text = """{"*": "latest"}"""
    assertEquals(old.sees(ending(text))(eu(0 -> 5)).read.sees(ending(text))(eu(0 -> 9)).ranges, Vector.empty)
  }

  test("a partition that appears later has its end from the same text") {
    val first = query.sees(ending("""{"orders": {"1": 3}}"""))(eu(0 -> 5)).read
    assertEquals(first.sees(ending("""{"orders": {"1": 3}}"""))(eu(0 -> 5, 0 -> 9)).ranges, Vector("eu orders 1 0-3"))
  }

  test("a removed cluster drains to its end, not beyond") {
    val seen = finished.sees(Topology.empty)(eu(0 -> 20))
    assertEquals(seen.ranges, Vector.empty)
    val before = query.sees(ending("""{"orders": {"0": 8}}"""))(eu(0 -> 5)).read
    assertEquals(before.sees(Topology.empty)(eu(0 -> 20)).ranges, Vector("eu orders 0 5-8"))
  }

  private val cut = ending("""{"timestamp": 900}""")

  private def at900(until: Option[Long]): Resolve = { case Question(_, Timestamp(900)) => until }

  test("a time that has come bounds the drain of a cluster that is removed") {
    val open = query.sees(cut, at900(None))(eu(0 -> 5)).read
    val seen = open.sees(Topology.empty, at900(Some(7)))(eu(0 -> 20))
    assertEquals(seen.ranges, Vector("eu orders 0 5-7"))
    assertEquals(seen.read.sees(Topology.empty)(eu(0 -> 30)).ranges, Vector.empty)
    assertEquals(seen.read.sees(cut, at900(Some(7)))(eu(0 -> 30)).ranges, Vector.empty)
  }

  test("a time that still lies ahead at the removal ends nothing: the drain ends where the log does") {
    val open = query.sees(cut, at900(None))(eu(0 -> 5)).read
    val seen = open.sees(Topology.empty, at900(None))(eu(0 -> 9))
    assertEquals(seen.ranges, Vector("eu orders 0 5-9"))
    assertEquals(seen.read.sees(Topology.empty, at900(Some(12)))(eu(0 -> 30)).ranges, Vector.empty)
  }

  test("a drain waits for its target until the time was reported") {
    val open = query.under(_ => skipping).sees(cut, at900(None))(eu(0 -> 5)).read
    val away = open.sees(Topology.empty)("eu" -> down).read
    val held = away.sees(Topology.empty)(eu(0 -> 20))
    assertEquals(held.ranges, Vector.empty)
    assertEquals(held.read.sees(Topology.empty, at900(Some(7)))(eu(0 -> 20)).ranges, Vector("eu orders 0 5-7"))
  }

  test("a topic taken off a cluster that stays is bounded by the time too") {
    val two   = (names: Seq[String]) => listed("eu" -> topics(names: _*).endingAt("""{"timestamp": 900}"""))
    val whole = "eu" -> answer("orders" -> has(0 -> 20), "refunds" -> has(0 -> 3))
    val open  = query.sees(two(Seq("orders", "refunds")), at900(None))(
      "eu" -> answer("orders" -> has(0 -> 5), "refunds" -> has(0 -> 3))
    ).read
    assertEquals(open.sees(two(Seq("refunds")), at900(Some(7)))(whole).ranges, Vector("eu orders 0 5-7"))
  }

  test("a topic that was created again has its end resolved anew") {
    def orders(id: String, extent: (Int, Int)) = "eu" -> answer("orders" -> has(extent).of(id))
    val held                                   =
      query.under(_.copy(failOnDataLoss = false)).sees(ending("latest"))(orders("T1", 0 -> 5)).readSome(_ => Map.empty)
    val again = held.sees(ending("latest"))(orders("T2", 0 -> 9))
    assertEquals(again.ranges, Vector("eu orders 0 0-9"))
    assertEquals(again.read.sees(ending("latest"))(orders("T2", 0 -> 12)).ranges, Vector.empty)
  }

  test("a gap in the listing does not resolve `latest` anew") {
    val held = query.sees(ending("latest"))(eu(0 -> 5)).read
    val gap  = held.sees(Topology.empty)(eu(0 -> 9)).read
    assertEquals(gap.sees(ending("latest"))(eu(0 -> 9)).ranges, Vector.empty)
  }

  test("ends of a topic that is not listed do not outlive their text") {
    val two  = (text: String) => listed("eu" -> topics("orders", "refunds").endingAt(text))
    val both = "eu" -> answer("orders" -> has(0 -> 9), "refunds" -> has(0 -> 9))
    val held = query.sees(two("""{"*": "latest"}"""))(both).read
    val one  = held.sees(listed("eu" -> topics("refunds").endingAt("""{"orders": {"0": 12}}""")))(both).read
    val more = "eu" -> answer("orders" -> has(0 -> 20), "refunds" -> has(0 -> 9))
    assertEquals(
      one.sees(two("""{"orders": {"0": 12}}"""))(more).ranges.filter(_.contains("orders")),
      Vector("eu orders 0 9-12")
    )
  }

  test("a point in time of a topic that was created again is asked for in the same step") {
    def orders(id: String, extent: (Int, Int)) = "eu" -> answer("orders" -> has(extent).of(id))
    val lax                                    = query.under(_.copy(failOnDataLoss = false))
    val held = lax.sees(cut, at900(Some(5)))(orders("T1", 0 -> 9)).readSome(_ => Map.empty)
    assertEquals(held.sees(cut, at900(Some(3)))(orders("T2", 0 -> 9)).ranges, Vector("eu orders 0 0-3"))
  }

  test("a topic that is deleted after it was read to its end is no loss") {
    val two                          = listed("eu" -> topics("orders", "refunds").endingAt("""{"orders": {"0": 8}}"""))
    def eu(orders: TopicObservation) = "eu" -> answer("orders" -> orders, "refunds" -> has(0 -> 3))
    val gone                         = query.sees(two)(eu(has(0 -> 8))).read.sees(two)(eu(absent)).read
    assertEquals(gone.after(policy.agreement).sees(two)(eu(absent)).ranges, Vector.empty)
  }

  // A partition that nobody led at first contact.
  private def unled(end: Int) = "eu" -> answer("orders" -> has(0 -> end).of("T1").leaderless(1)).of("K1")
  private val ended           = ending("""{"orders":"latest"}""")
  private val begun           = query.under(_ => skipping).sees(ended)(unled(10)).read

  test("a cluster with a partition that nobody led at first contact is not over") {
    for (text <- Seq("""{"timestamp": 900}""", "latest")) {
      val resolve: Resolve = { case Question(id, Timestamp(900)) => Some(if (id.partition == 0) 5L else 4L) }
      val topo             = ending(text)
      val begun            = Query(skipping).sees(topo, resolve)(unled(5)).read
      assert(new OffsetQuestions(StepBasis(begun.held, topo), skipping).topics.contains(ClusterId("eu")), text)
      assertEquals(begun.sees(topo, resolve)(eu(0 -> 5, 0 -> 4)).ranges, Vector("eu orders 1 0-4"))
    }
  }

  test("it is reported, and fails the query under `fail`, though all others are read to their ends") {
    val held = begun.sees(ended)(unled(10)).step.skipped
    assertEquals(held.flatMap(_.topics("orders").partitions.keys), Vector(1))
    val needed = begun.under(_ => fromEarliest).sees(ended)(unled(10))
    assertEquals(needed.failure.condition, Condition.ClusterUnreachable)
  }

  test("a topic that is deleted before it could be read is loss, though all others are read to their ends") {
    val gone = "eu" -> answer("orders" -> absent).of("K1")
    val seen = begun.sees(ended)(gone).read.after(policy.agreement).sees(ended)(gone)
    assertEquals(seen.failure.condition, Condition.DataLoss)
  }

  test("a cluster that is read to its end and drains another topic never fails the query") {
    def lists(names: String*) = listed("eu" -> topics(names: _*).endingAt("""{"orders": "latest"}"""))
    val read                  = query.sees(lists("orders", "refunds"))(
      "eu" -> answer("orders" -> has(0 -> 5), "refunds" -> has(0 -> 3))
    ).read
    assertEquals(read.sees(lists("orders"))("eu" -> down).ranges, Vector.empty)
  }

  for ((text, range) <- Seq("latest" -> Vector.empty, """{"*": "latest"}""" -> Vector("new orders 0 10-20")))
    test(s"under a new id the same Kafka cluster keeps its ends with their text: $text") {
      def here(id: String, end: Int) = id -> answer("orders" -> has(0 -> end).of("T")).of("K")
      val begun = Query(fromEarliest).sees(listed("eu" -> topics("orders").endingAt("latest")))(here("eu", 10)).read
      val seen  = begun.sees(listed("new" -> topics("orders").endingAt(text).continuing("eu")))(here("new", 20))
      assertEquals(seen.ranges, range)
    }
}
