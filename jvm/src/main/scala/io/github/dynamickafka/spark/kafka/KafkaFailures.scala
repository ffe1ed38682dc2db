package io.github.dynamickafka.spark.kafka

import java.time.Duration
import java.util.concurrent.{TimeoutException => NoAnswer}

import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Failure}

/** What the driver says of a cluster that failed it. */
object KafkaFailures {

  /** @param limit how long an answer was waited for
    * @param thrown by Kafka's client, by opening it, or by what waited for it
    */
  def of(attempt: Attempt, limit: Duration)(thrown: Throwable): Failure = Diagnosis.root(thrown) match {
    case known: DynamicKafkaException => Failure(known.condition, known.detail)
    case _: NoAnswer => told(Diagnosis.of(attempt, new TimeoutException(s"no answer within ${limit.toMillis} ms")))
    case other       => told(Diagnosis.of(attempt, other))
  }

  private def told(diagnosis: Diagnosis): Failure = Failure(
    diagnosis.condition,
    s"${diagnosis.happened} " + diagnosis.remedy.fold(
      "Look whether its brokers run and can be reached from the driver. " +
        "To go on without a cluster that can't be reached, set unavailableClusterPolicy to skip."
    )(_ + ".")
  )
}
