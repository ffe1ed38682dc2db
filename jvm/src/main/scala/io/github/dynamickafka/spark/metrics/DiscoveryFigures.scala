package io.github.dynamickafka.spark.metrics

import java.time.{Duration, Instant}

import io.github.dynamickafka.spark.ids.Printable
import io.github.dynamickafka.spark.poll.PollHealth

/** The metrics of the metadata service. */
object DiscoveryFigures {
  def of(health: PollHealth, now: Instant): Map[String, String] =
    Map("metadataFailures" -> health.failures.toString) ++
      health.lastGood.map(at => "metadataAge" -> Duration.between(at, now).toMillis.toString) ++
      health.lastFailure.filter(_ => health.failures > 0).map { failure =>
        "metadataLastError" -> Shortened(Printable.line(failure.summary.replace('\n', ' ')))
      }
}
