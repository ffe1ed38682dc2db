package io.github.dynamickafka.spark.kafka.admin

import java.net.{InetAddress, ServerSocket}
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Using

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's client of a cluster that does not answer. Answers of real brokers are left to the scenarios. */
class ClusterAdminSuite extends munit.FunSuite {
  test("after two questions in vain the next one opens a new client, whatever became of the old one") {
    // Accepts connections and never answers.
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val opened     = new AtomicInteger
      val connection = new ConnectionSettings(Map("bootstrap.servers" -> s"localhost:${silent.getLocalPort}"))
      val factory    = new AdminFactory("test", Duration.ofSeconds(1))
      val admin      = new ClusterAdmin(
        ClusterId("eu"),
        connection,
        (id, settings) => { opened.incrementAndGet(): Unit; factory.open(id, settings) },
        new LogProofs(() => factory.consumer(ClusterId("eu"), connection), Duration.ofSeconds(1), task => task.run()),
        Duration.ofSeconds(1),
        task => task.run()
      )
      for (clients <- Seq(1, 1, 2, 2, 3)) {
        admin.observe(Set("orders")).get(10, TimeUnit.SECONDS) match {
          case ClusterObservation.Failed(failure) =>
            assertEquals(failure.condition, Condition.ClusterUnreachable: Condition)
          case other => fail(s"$other")
        }
        assertEquals(opened.get, clients)
      }
      admin.close()
    }
  }
}
