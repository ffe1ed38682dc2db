package io.github.dynamickafka.spark.driver.trigger

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.plan.ReadLimits

/** What drains and answers the driver, while executors can't read it, or not all of it. */
class DrainNotByExecutorsSuite extends FunSuite with DeferredScenes {
  test("a drain of which records come goes on, however often a batch defers the rest of them") {
    val policy   = fromEarliest.copy(removal = fromEarliest.removal.copy(drainTimeout = Duration.ofMinutes(20)))
    var topology = both
    triggers(policy, () => topology) { query =>
      Seq("eu", "us").foreach(query.kafka.now(_, answer("orders" -> has(0 -> 100))))
      query.triggered(_ => false): Unit
      Seq("eu", "us").foreach(query.kafka.now(_, answer("orders" -> has(0 -> 200))))
      topology = listed("eu" -> topics("orders"))
      query.fetched()
      // Each batch runs for long, and takes one record more. After each, one waits for the pause.
      val read = Vector.fill(8)(query.triggered(after = 900, takes = 1)).flatten.filter(_.startsWith("us"))
      assertEquals(read.headOption, Some("us orders 0 100-200"))
      assertEquals((read.last, query.driver.remembered.abandonedRecords), ("us orders 0 103-200", 0L))
    }
  }

  test("a drain of an inactive cluster tries what the executors could not read before the removal") {
    var topology = both
    triggers(skipping, () => topology) { query =>
      query.batch(): Unit
      topology = listed("eu" -> topics("orders"), "us" -> topics().inactive)
      query.fetched()
      val read = Vector.fill(3)(query.batch(_ => false, after = 20)).flatten.filter(_.startsWith("us"))
      assertEquals(
        (read, query.driver.remembered.abandonedRecords),
        (Vector("us orders 0 10-12", "us orders 1 0-12"), 0L)
      )
    }
  }

  test("a drain of an inactive cluster of which records come goes on until a try of which none comes") {
    var topology = both
    triggers(skipping, () => topology) { query =>
      Seq("eu", "us").foreach(query.kafka.now(_, answer("orders" -> has(0 -> 100))))
      query.triggered(_ => false): Unit
      Seq("eu", "us").foreach(query.kafka.now(_, answer("orders" -> has(0 -> 200))))
      topology = listed("eu" -> topics("orders"), "us" -> topics().inactive)
      query.fetched()
      def us(takes: Int) = query.triggered(after = 900, takes = takes).filter(_.startsWith("us"))
      assertEquals(Vector.fill(6)(us(takes = 1)).flatten.lastOption, Some("us orders 0 102-200"))
      assertEquals(query.driver.remembered.abandonedRecords, 0L)
      Vector.fill(4)(us(takes = 0)): Unit
      assertEquals(query.driver.remembered.abandonedRecords, 97L)
    }
  }

  test("a drain of an inactive cluster gives up what could not be read, and nothing that was not tried") {
    var topology = both
    triggers(fromEarliest, () => topology) { query =>
      query.kafka.now("eu", orders)
      query.kafka.now("us", answer("orders" -> has(0 -> 13, 0 -> 13)))
      topology = listed("eu" -> topics("orders"), "us" -> topics().inactive)
      query.fetched()
      def batch() = query.triggered(limits = ReadLimits(Some(1), None, aligned = true))
      assertEquals(batch(), Vector("us orders 0 10-11"))
      batch(): Unit
      assertEquals(query.driver.remembered.abandonedRecords, 3L)
    }
  }
}
