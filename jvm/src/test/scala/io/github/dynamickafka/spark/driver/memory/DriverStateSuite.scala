package io.github.dynamickafka.spark.driver.memory

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.fakes.{Query, Seen, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** What the driver remembers between triggers. */
class DriverStateSuite extends FunSuite {
  private val orders = listed("eu" -> topics("orders"))
  private val query  = Query(skipping).sees(orders)("eu" -> answer("orders" -> has(0 -> 10))).read

  private def last(seen: Seen): LastStep = {
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    LastStep(seen.query.held, survey, seen.step, quiet = false)
  }

  private def at(address: String): ListedCluster =
    topics("orders").copy(connection = Right(new ConnectionSettings(Map("bootstrap.servers" -> address))))

  private def addresses(state: DriverState): Map[String, String] =
    state.connections.map { case (id, connection) => id.value -> connection.bootstrapServers }

  test("the connection of a removed cluster is known as long as the query holds it, and a new one counts at once") {
    val held = Query(fromEarliest).sees(listed("eu" -> at("e1"), "us" -> at("u1")))(
      "eu" -> answer("orders" -> has(0 -> 1)),
      "us" -> answer("orders" -> has(0 -> 1))
    ).read.held
    val both = DriverState().on(listed("eu" -> at("e1"), "us" -> at("u1")), SourceOffset.initial)
    val one  = both.on(listed("us" -> at("u2")), held)
    assertEquals(addresses(one), Map("eu" -> "e1", "us" -> "u2"))
    val forgotten = SourceOffset(held.clusters - ClusterId("eu"))
    assertEquals(addresses(one.on(listed("us" -> at("u2")), forgotten)), Map("us" -> "u2"))
  }

  test("how far a cluster may be read is remembered while it does not answer, or answers as another") {
    val read   = DriverState().stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)).of("K1"))))
    val expect = Map(partition("eu", "orders", 0) -> 15L)
    assertEquals(read.known.horizon.toMap, expect)
    val known = query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)).of("K1")).read
    assertEquals(read.stepped(last(known.sees(orders)("eu" -> down))).known.horizon.toMap, expect)
    assertEquals(read.stepped(last(known.sees(orders)("eu" -> answer().of("another")))).known.horizon.toMap, expect)
  }

  test("what is skipped still counts in the lag: as the brokers report it, else as last known") {
    val read   = DriverState().stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)))))
    val hidden = read.stepped(last(query.sees(orders)("eu" -> answer("orders" -> Situations.hidden))))
    assertEquals(hidden.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 15L))
    val barred = hidden.stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 25).lacking("READ")))))
    assertEquals(barred.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 25L))
  }

  test("what is paused, and what waits for its successor, still counts in the lag") {
    val read   = DriverState().stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)).of("K1"))))
    val paused = listed("eu" -> topics("orders").paused)
    val more   = read.stepped(last(query.sees(paused)("eu" -> answer("orders" -> has(0 -> 25)).of("K1"))))
    assertEquals(more.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 25L))
    val dark = more.stepped(last(query.sees(paused)("eu" -> down)))
    assertEquals(dark.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 25L))
    val waits = dark.stepped(last(query.sees(listed("new" -> topics("orders").continuing("eu")))("new" -> down)))
    assertEquals(waits.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 25L))
  }

  test("while a mirror is behind, the last known end of the old cluster is remembered") {
    val read   = DriverState().stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)).of("K1"))))
    val mirror = listed("new" -> topics("orders").continuing("eu"))
    val late   = read.stepped(last(query.sees(mirror)("new" -> answer("orders" -> has(0 -> 8)).of("K2"))))
    assertEquals(late.known.horizon.toMap, Map(partition("eu", "orders", 0) -> 15L))
  }

  test("of a cluster that is not held any more nothing is remembered") {
    val read = DriverState().stepped(last(query.sees(orders)("eu" -> answer("orders" -> has(0 -> 15)))))
    val seen = Query(fromEarliest).sees(Topology.empty)()
    assertEquals(read.stepped(last(seen)).known.horizon.toMap, Map.empty[PartitionId, Long])
  }

  test("what `stop` leaves unread is reported once the removal is recorded, as last known") {
    val stops   = query.under(_ => stopping)
    val lags    = stops.sees(orders)("eu" -> answer("orders" -> has(0 -> 25)))
    val removed = stops.sees(Topology.empty)()
    val state   = DriverState().stepped(last(lags)).stepped(last(removed))
    val both    = listed("us" -> topics("orders"))
    val batch   = stops.sees(both)("us" -> answer("orders" -> has(0 -> 3)))
    assertEquals(state.drains.ended(stops.held)._1, Vector.empty)
    val recorded = state.stepped(last(batch))
    assertEquals(recorded.drains.ended(batch.read.held)._1, Vector(DrainEnded(ClusterId("eu"), "orders", 15)))
  }

  test(
    "what another Kafka cluster has under its name is not counted in a drain, or in the lag of a topic that moves to it"
  ) {
    def log(end: Int, kafkaId: String)     = answer("orders" -> has(0 -> end)).of(kafkaId)
    def of(state: DriverState, seen: Seen) = state.stepped(last(seen)) -> seen.readSome(_ => Map.empty)
    val (first, known)                     = of(DriverState(), query.sees(orders)("eu" -> log(15, "K1")))
    val (removed, drains)                  = of(first, known.sees(Topology.empty)("eu" -> log(20, "K1")))
    val (strange, _)                       = of(removed, drains.sees(Topology.empty)("eu" -> log(99, "K9")))
    assertEquals(strange.drains.ends.values.toVector, Vector(Map(0 -> 20L)))
    val begun = Query(skipping).sees(listed("eu" -> topics("orders"), "new" -> topics("refunds").continuing("eu")))(
      "eu"  -> log(15, "K1"),
      "new" -> answer("refunds" -> has(0 -> 1)).of("K2")
    )
    val moves  = listed("new" -> topics("orders", "refunds").continuing("eu"))
    val moving = of(
      DriverState().stepped(last(begun)),
      begun.readSome(_.take(1).map { case (id, _) => id -> 12L }).sees(moves)("new" -> log(99, "K9"))
    )
    assertEquals(moving._1.known.horizon.toMap.get(partition("eu", "orders", 0)), Some(15L))
  }

  test("lost records add up") {
    val lax  = query.under(_.copy(failOnDataLoss = false))
    val lost = last(lax.sees(orders)("eu" -> answer("orders" -> has(14 -> 20))))
    assertEquals(DriverState().stepped(lost).stepped(lost).lostRecords, 8L)
  }

  test("a listed cluster whose properties can't be resolved has no connection") {
    val held = Query(fromEarliest).sees(orders)("eu" -> answer("orders" -> has(0 -> 1))).read.held
    val both = DriverState().on(listed("eu" -> at("e1"), "us" -> at("u1")), held)
    val open = listed("eu" -> topics("orders").unresolved, "us" -> at("u1"))
    val now  = both.on(open, held)
    assertEquals((addresses(now), now.number), (Map("us" -> "u1"), both.number))
    assertEquals(addresses(now.on(listed("eu" -> at("e2"), "us" -> at("u1")), held)), Map("eu" -> "e2", "us" -> "u1"))
  }

  test("a cluster whose properties can't be resolved is not asked, so no try to drain it has failed") {
    val drains = query.sees(listed("eu" -> topics()))("eu" -> answer("orders" -> has(0 -> 25))).readSome {
      _.map { case (id, _) => id -> 12L }
    }
    def failed(eu: ListedCluster, before: DriverState = DriverState()) =
      before.stepped(last(drains.sees(listed("eu" -> eu))("eu" -> down)))
    assertEquals(failed(topics()).known.tries.since.keySet, Set(partition("eu", "orders", 0)))
    assertEquals(failed(topics().unresolved).known.tries.since.keySet, Set.empty[PartitionId])
    // Nor does the time count on from a try before that.
    assertEquals(failed(topics().unresolved, failed(topics())).known.tries.since.keySet, Set.empty[PartitionId])
  }

  test("in a frozen run known clusters get new credentials, and no cluster comes or goes") {
    val both = DriverState().on(listed("eu" -> at("e1"), "us" -> at("u1")), SourceOffset.initial)
    val now  = both.reconnected(listed("us" -> at("u2"), "asia" -> at("a1")))
    assertEquals(addresses(now), Map("eu" -> "e1", "us" -> "u2"))
    assertEquals(now.topology, both.topology)
    assertEquals(addresses(both.reconnected(listed("eu" -> topics("orders").unresolved))), addresses(both))
  }
}
