package io.github.dynamickafka.spark.bench

import org.openjdk.jmh.annotations._

/** Sizes of an offset that JMH writes into its report. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class OffsetSizes {
  var textBytes: Double = 0
  var heldBytes: Double = 0
}
