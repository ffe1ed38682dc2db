package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.TopicOffset
import io.github.dynamickafka.spark.topology.Topology

/** A partition that no answer has ever shown. */
class NeverSeenDrainSuite extends FunSuite with MovingLog {
  private val moment = Duration.ofMinutes(1)
  private val calm   = query.under(_ => skipping)

  private def left(query: Query): Option[TopicOffset] = query.held.topic(ClusterId("new"), "orders")

  /** After it was read under the next id, and that was removed too. */
  private def removed(begun: Query, to: Int*): Query = {
    val off = begun.after(moment).sees(Topology.empty)(mirror(to: _*)).read
    off.after(moment).sees(Topology.empty)(mirror(to: _*)).read
  }

  test("a partition that only a standby's startingOffsets name does not drain") {
    val named = next.startingAt("""{"orders":{"0":10,"1":10,"7":0}}""")
    val stood = calm.after(moment).sees(listed("eu" -> orders, "new" -> named))(eu(10, 10), "new" -> down).read
    val moved = stood.after(moment).sees(listed("new" -> named))(mirror(12, 12)).read
    val read  = moved.after(moment).sees(listed("new" -> named))(mirror(14, 14)).read
    assertEquals(left(removed(read, 14, 14)).map(_.drains), Some(false))
  }
}
