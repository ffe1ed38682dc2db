package io.github.dynamickafka.spark.kafka.failure

import java.time.Duration
import java.util.concurrent.{TimeoutException => NoAnswer}

import org.apache.kafka.common.errors.TimeoutException

import io.github.dynamickafka.spark.errors.{DynamicKafkaException, Failure, Say}
import io.github.dynamickafka.spark.options.DurationText

/** What the driver reports of a cluster that failed to answer. */
object KafkaFailures {

  /** @param limit how long the answer was waited for
    * @param thrown by Kafka's client, by opening it, or by what waited for it
    */
  def of(attempt: Attempt, limit: Duration)(thrown: Throwable): Failure = Diagnosis.root(thrown) match {
    case known: DynamicKafkaException => Failure(known.condition, known.wording)
    case _: NoAnswer                  =>
      failure(Diagnosis.of(attempt, new TimeoutException(s"no answer within ${DurationText.text(limit)}")))
    case other => failure(Diagnosis.of(attempt, other))
  }

  private def failure(diagnosis: Diagnosis): Failure = Failure(
    diagnosis.condition,
    say"${diagnosis.happened} " +
      diagnosis.remedy.fold("Check that its brokers run and can be reached from the driver.")(_ + ".")
  )
}
