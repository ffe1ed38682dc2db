package io.github.dynamickafka.spark.driver.memory

import io.github.dynamickafka.spark.errors.Failure

/** What a call has found, and what the driver remembers from then on. It remembers it even if the call has failed. */
final case class Taken[+A](state: DriverState, result: Either[Failure, A]) {
  def andThen[B](next: (DriverState, A) => Taken[B]): Taken[B] =
    result.fold(failure => Taken(state, Left(failure)), next(state, _))
}
