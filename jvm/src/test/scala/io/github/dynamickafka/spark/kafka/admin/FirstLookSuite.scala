package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference

import org.apache.kafka.clients.admin.{Admin, OffsetSpec}

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The first look of a client, which credentials that rotate, or a restart, have opened anew. */
class FirstLookSuite extends munit.FunSuite {

  /** The address leads to A again while this look is under way. What it had answered before is B's: a log from 500 on. */
  private val comesBack: Admin = {
    val now = new AtomicReference("B")
    OneTopicAdmin.of(
      () => now.get,
      offset = {
        case _: OffsetSpec.EarliestSpec => 500
        case _                          => now.set("A"); 900
      }
    )
  }

  test("what is seen by a new client while the address comes back from another Kafka cluster costs no position") {
    val limit = Duration.ofSeconds(10)
    val admin = new ClusterAdmin(
      ClusterId("eu"),
      new ConnectionSettings(Map.empty),
      (_, _) => comesBack,
      new LogProofs(_ => fail("no log is in doubt"), limit, task => task.run()),
      limit,
      task => task.run()
    )
    val seen = admin.observe(Set("orders")).get(10, TimeUnit.SECONDS)
    admin.close()

    val all   = listed("eu" -> topics("orders"))
    val begun =
      Query(skipping.copy(failOnDataLoss = false)).sees(all)("eu" -> answer("orders" -> has(0 -> 100)).of("A")).read
    val after = begun.sees(all)("eu" -> seen).read
    // A itself has its records 100 to 899, and gets more.
    val later = after.sees(all)("eu" -> answer("orders" -> has(0 -> 950)).of("A"))
    assertEquals(
      begun.sees(all)("eu" -> seen).ranges ++ later.ranges,
      Vector("eu orders 0 100-950"),
      s"the first look says $seen"
    )
  }
}
