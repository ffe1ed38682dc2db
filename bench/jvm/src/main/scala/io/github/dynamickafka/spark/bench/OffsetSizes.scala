package io.github.dynamickafka.spark.bench

import org.openjdk.jmh.annotations._

/** The sizes of an offset, which JMH writes into its report. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class OffsetSizes {
  var textBytes: Double = 0
  var heldBytes: Double = 0
}

/** The sizes of the source's part of a progress event: its metrics, and these with the texts of its three offsets. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class EventSizes {
  var figureBytes: Double = 0
  var eventBytes: Double  = 0
}
