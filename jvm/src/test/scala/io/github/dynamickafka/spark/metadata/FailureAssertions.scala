package io.github.dynamickafka.spark.metadata

import munit.Assertions.{assertEquals, intercept}

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

/** Failures of one condition. */
trait FailureAssertions {
  def failing(condition: Condition)(body: => Any): DynamicKafkaException = {
    val failure = intercept[DynamicKafkaException] {
      body
      ()
    }
    assertEquals(failure.condition, condition)
    failure
  }
}
