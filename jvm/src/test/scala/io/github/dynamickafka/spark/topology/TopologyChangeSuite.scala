package io.github.dynamickafka.spark.topology

import scala.collection.immutable.SortedSet

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._

/** The difference of two topologies, and the log line that shows it. */
class TopologyChangeSuite extends FunSuite {
  private def at(address: String, password: String = "hidden"): ListedCluster = topics("orders").copy(connection =
    Right(new ConnectionSettings(Map("bootstrap.servers" -> address, "sasl.jaas.config" -> password)))
  )

  private def said(before: Topology, now: Topology): String = TopologyChange.between(before, now).toString

  test("the same topology is no change") {
    val topology = listed("eu" -> at("e"))
    assert(TopologyChange.between(topology, listed("eu" -> at("e"))).isEmpty)
    assertEquals(said(topology, topology), "")
  }

  test("clusters that came and went are reported, sorted, with their topics") {
    assertEquals(
      said(listed("eu" -> at("e")), listed("us" -> at("u"), "ap" -> topics("t", "s"))),
      "appeared=ap,us topicsAdded=ap:[s,t],us:[orders] topicsRemoved=eu:[orders] vanished=eu"
    )
  }

  test("a topic that came is a change of its cluster alone") {
    assertEquals(
      said(listed("eu" -> topics("a"), "us" -> topics("a")), listed("eu" -> topics("a", "b"), "us" -> topics("a"))),
      "topicsAdded=eu:[b]"
    )
  }

  test("a new connection is reported without its properties") {
    assertEquals(said(listed("eu" -> at("e")), listed("eu" -> at("e", "rotated"))), "reconnected=eu")
  }

  test("a cluster whose properties can't be resolved any more is not reconnected, and it is once they can") {
    val open = listed("eu" -> topics("orders").unresolved)
    assertEquals(said(listed("eu" -> at("e")), open), "")
    assertEquals(said(open, listed("eu" -> at("e"))), "reconnected=eu")
  }

  test("what is paused from now on is named, and what is not any more") {
    val free   = topics("a", "b")
    val paused = free.copy(pause = Pause.Whole)
    val partly = free.copy(pause = Pause.Topics(SortedSet("b")))
    assertEquals(
      said(listed("ap" -> free, "eu" -> free, "us" -> paused), listed("ap" -> partly, "eu" -> paused, "us" -> free)),
      "lifted=us paused=ap:[b],eu"
    )
  }

  test("a cluster that continues other ids than before is named with them, also where it continues none any more") {
    val (alone, later) = (topics("a"), topics("a").continuing("ap", "eu"))
    assertEquals(said(listed("us" -> alone), listed("us" -> later)), "continues=us:[ap,eu]")
    assertEquals(said(listed("us" -> later), listed("us" -> alone)), "continues=us:[]")
  }
}
