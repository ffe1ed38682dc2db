package io.github.dynamickafka.spark.driver.uncommitted

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionMap}
import io.github.dynamickafka.spark.offsets.{Deferred, DeferredPart, SourceOffset}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.{ListedCluster, Topology}

/** An uncommitted batch is read from the cluster that it names, or else from the one that continues it. */
class StandInsSuite extends FunSuite {
  private val orders = topics("orders")
  private val next   = orders.continuing("eu")
  private val eu     = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 5).of("T1")).of("K1")
  private val end    = Query(fromEarliest).sees(listed("eu" -> orders))(eu).read.held
  private val batch  = OffsetRanges.between(SourceOffset.initial, end)

  private def mirror(ends: Int*)                  = mirrorOf("T9")(ends: _*)
  private def mirrorOf(topic: String)(ends: Int*) =
    "new" -> answer("orders" -> has(ends.map(0 -> _): _*).of(topic)).of("K2")

  private def ids(seen: Seq[(String, ClusterObservation)]) = seen.map { case (id, said) => ClusterId(id) -> said }.toMap

  private def standIns(topology: Topology)(seen: (String, ClusterObservation)*): StandIns = {
    val topics     = Map(ClusterId("eu") -> Set("orders"))
    val candidates = StandIns.candidates(topics, end, topology)
    StandIns.of(candidates, topics, end, topology, ids(seen))
  }

  private def reads(topology: Topology)(seen: (String, ClusterObservation)*): String =
    standIns(topology)(seen: _*).reader(ClusterId("eu")).value

  private def texts(ranges: Vector[OffsetRange]): Vector[String] =
    ranges.map(range => s"${range.id.cluster} ${range.id.partition} ${range.from}-${range.until}")

  private def moved(cluster: ListedCluster = next) = listed("new" -> cluster)

  test("while the old id is listed and answers, it is read itself") {
    assertEquals(reads(listed("eu" -> orders, "new" -> next))(eu, mirror(10, 5)), "eu")
  }

  test("the one that continues it stands in where it is listed no more, or does not answer") {
    assertEquals(reads(moved())(mirror(10, 5)), "new")
    assertEquals(reads(listed("eu" -> orders, "new" -> next))("eu" -> down, mirror(10, 5)), "new")
    assertEquals(reads(moved(orders))(mirror(10, 5)), "eu", "an id that says nothing of it is no stand-in")
  }

  test("a log that was handed over is read from the old id again, when the file was rolled back") {
    val over  = Query(fromEarliest, end).sees(moved())(mirror(12, 5)).read.held
    val found = StandIns.candidates(Map(ClusterId("new") -> Set("orders")), over, listed("eu" -> orders))
    assertEquals(found, Map(ClusterId("new") -> ClusterId("eu")))
  }

  test("the id that continues an old one may stand in, though it has read the topic apart and lists it no more") {
    val apart   = Query(fromEarliest).sees(listed("eu" -> orders, "new" -> orders))(eu, mirror(10, 5)).read.held
    val emptied = listed("new" -> topics().continuing("eu"))
    val found   = StandIns.candidates(Map(ClusterId("eu") -> Set("orders")), apart, emptied)
    assertEquals(found, Map(ClusterId("eu") -> ClusterId("new")))
  }

  test("what the mirror says is said in the old id's name, and its own ids of topics say nothing") {
    val here = standIns(moved())(mirror(10, 5))
    val said = here.answers(Seq(ClusterId("eu")), ids(Seq(mirror(10, 5))))
    assertEquals(UnreadableRange.of(batch, end, said), Vector.empty)
    assertEquals(here.asked(Map(ClusterId("eu") -> Set("orders"))), Map(ClusterId("new") -> Set("orders")))
  }

  test("the same Kafka cluster under a new id is held to Kafka's ids") {
    val renamed = "new" -> answer("orders" -> has(0 -> 10, 0 -> 5).of("T2")).of("K1")
    val here    = standIns(moved())(renamed)
    val said    = here.answers(Seq(ClusterId("eu")), ids(Seq(renamed)))
    assertEquals(
      said.values.collect { case ClusterObservation.Answered(kafka, _) => kafka }.toVector,
      Vector(Some("K1"))
    )
    assertEquals(here.behind(batch, said), Vector.empty)
  }

  test("ranges that the mirror does not have are behind, and name both offsets") {
    val here = standIns(moved())(mirror(8, 5))
    val said = here.answers(Seq(ClusterId("eu")), ids(Seq(mirror(8, 5))))
    val late = here.behind(batch, said)
    assertEquals(texts(late.map(_.range)), Vector("eu 0 0-10"))
    assertEquals(late.map(_.why.condition.name), Vector("DYNAMIC_KAFKA_MIRROR_BEHIND"))
    assert(late.head.why.detail.contains("read up to 10, mirrored up to 8"), late.head.why.detail)
  }

  test("where mirroring ended, said by partition, such a range is read up to there, whatever the mirror has by now") {
    val said   = moved(next.startingAt("""{"orders":{"0":8}}"""))
    val here   = standIns(said)(mirror(30, 5))
    val answer = here.answers(Seq(ClusterId("eu")), ids(Seq(mirror(30, 5))))
    assertEquals(here.behind(batch, answer), Vector.empty)
    assertEquals(texts(here.mirrored(batch, answer)), Vector("eu 0 0-8", "eu 1 0-5"))
    assertEquals(batch.map(_.kafkaId).distinct, Vector(Some("T1")))
    assertEquals(here.mirrored(batch, answer).map(_.kafkaId).distinct, Vector(None), "a mirror has topics of its own")
    val short = here.answers(Seq(ClusterId("eu")), ids(Seq(mirror(8, 5))))
    assertEquals(here.behind(batch, short), Vector.empty)
  }

  test("and also where the batch begins behind it, since the batch before gave that part back") {
    val rest   = Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> DeferredPart(8, 10, 0))))
    val before = rest.rewind(end, (_, _) => false, begin)
    val after  = Query(fromEarliest, before).sees(listed("eu" -> orders))(eu).read.held
    val ranges = OffsetRanges.between(before, after)
    assertEquals(texts(ranges), Vector("eu 0 8-10"))
    val said = moved(next.startingAt("""{"orders":{"0":5}}"""))
    val here = StandIns.of(
      Map(ClusterId("eu") -> ClusterId("new")),
      Map(ClusterId("eu") -> Set("orders")),
      after,
      said,
      ids(Seq(mirror(30, 5)))
    )
    val answers = here.answers(Seq(ClusterId("eu")), ids(Seq(mirror(30, 5))))
    assertEquals(texts(here.mirrored(ranges, answers)), Vector.empty)
  }

  test("and also where it took over before and gave the log back, if mirroring ended beyond that") {
    val first = Query(fromEarliest, end).sees(moved())(mirror(20, 5)).read
    val back  =
      first.sees(listed("eu" -> orders))("eu" -> answer("orders" -> has(0 -> 25, 0 -> 5).of("T1")).of("K1")).read
    val rest   = DeferredPart(23, 25, back.held.get(partition("eu", "orders", 0)).fold(0)(_.incarnation))
    val before = Deferred(PartitionMap.from(Vector(partition("eu", "orders", 0) -> rest)))
      .rewind(back.held, (_, _) => false, begin)
    val after = back.copy(held = before).sees(listed("eu" -> orders))(
      "eu" -> answer("orders" -> has(0 -> 30, 0 -> 5).of("T1")).of("K1")
    ).read.held
    val ranges = OffsetRanges.between(before, after)
    assertEquals(texts(ranges), Vector("eu 0 23-30"))
    def read(ended: Int, topic: String = "T9") = {
      val seen = this.ids(Seq(mirrorOf(topic)(40, 5)))
      val ids  = Map(ClusterId("eu") -> ClusterId("new"))
      val line = moved(next.startingAt(s"""{"orders":{"0":$ended}}"""))
      val here = StandIns.of(ids, Map(ClusterId("eu") -> Set("orders")), after, line, seen)
      texts(here.mirrored(ranges, here.answers(Seq(ClusterId("eu")), seen)))
    }
    assertEquals(read(22), Vector.empty)
    assertEquals(read(26), Vector("eu 0 23-26"))
    assertEquals(read(10), Vector("eu 0 23-30"), "that belongs to the first move")
    assertEquals(read(10, topic = "T10"), Vector.empty, "its topic was made anew since")
  }
}
