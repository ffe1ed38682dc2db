package io.github.dynamickafka.spark.kafka.admin

import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import org.apache.kafka.common.errors.{SaslAuthenticationException, SslAuthenticationException}

import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Kafka's client reads a key store, a key tab, and what its own `config.providers` look up, once: when it is opened.
  * If the file behind them is replaced, the text of the properties stays the same, and so does the client.
  */
class RefusedClientSuite extends munit.FunSuite {
  test("a client whose credentials are refused again and again is exchanged") {
    for (
      why <- Seq(
        new SaslAuthenticationException("Authentication failed: Invalid username or password"),
        new SslAuthenticationException("Received fatal alert: certificate_expired")
      )
    ) {
      val opened = new AtomicInteger
      val limit  = Duration.ofSeconds(10)
      val here   = new ClusterAdmin(
        ClusterId("eu"),
        new ConnectionSettings(Map("ssl.keystore.location" -> "/etc/kafka/reader.p12")),
        // Only the first client was opened before the file behind its properties was replaced.
        (_, _) =>
          if (opened.incrementAndGet() == 1) OneTopicAdmin.of(topic = () => OneTopicAdmin.failed(why))
          else OneTopicAdmin.of(),
        new LogProofs(_ => fail("no log is in doubt"), limit, task => task.run()),
        limit,
        task => task.run()
      )
      val seen = Vector.fill(6)(here.observe(Set("orders")).get(10, TimeUnit.SECONDS))
      here.close()
      seen.head match {
        case ClusterObservation.Failed(failure) =>
          assertEquals(failure.condition, Condition.AuthenticationFailed: Condition)
        case other => fail(s"$other")
      }
      assert(seen.last.isInstanceOf[ClusterObservation.Answered], s"clients opened: ${opened.get}, seen: $seen")
    }
  }
}
