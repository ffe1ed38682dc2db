package io.github.dynamickafka.spark.metrics

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.Printable
import io.github.dynamickafka.spark.kafka.properties.SecretProperties
import io.github.dynamickafka.spark.poll.PollHealth
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The metrics of the metadata service. */
object DiscoveryFigures {

  /** @param connections whose secrets the text of an error must not show, even if a user's service wrote it */
  def of(health: PollHealth, connections: => Iterable[ConnectionSettings], now: Instant): Map[String, String] =
    Map("metadataFailures" -> health.failures.toString) ++
      health.lastGood.map(at => "metadataAge" -> Duration.between(at, now).toMillis.toString) ++
      health.lastFailure.filter(_ => health.failures > 0).map { failure =>
        val text = SecretProperties.masked(failure.summary, connections.map(_.properties))
        "metadataLastError" -> Shortened(Printable.line(text.replace('\n', ' ')))
      }
}
