package io.github.dynamickafka.spark.bench

import org.openjdk.jmh.annotations._

/** Sizes of an offset that JMH writes into its report. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class OffsetSizes {
  var textBytes: Double = 0
  var heldBytes: Double = 0
}

/** Sizes of what a progress event tells of the source: its figures, and with them the texts of its three offsets. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class EventSizes {
  var figureBytes: Double = 0
  var eventBytes: Double  = 0
}
