package io.github.dynamickafka.spark.read

import munit.FunSuite

class DownstreamSuite extends FunSuite {
  private var now      = 0L
  private var reported = Vector.empty[(Long, Long)]
  private val watch    = new Downstream(() => now, (records, nanos) => reported :+= records -> nanos)

  private def after(nanos: Long)(call: => Unit): Unit = {
    now += nanos
    call
  }

  test("the time between two batches and after the last one counts, and the time within the reader does not") {
    after(1)(watch.asks())
    after(1000)(watch.gets(5))
    after(20)(watch.asks())
    after(1000)(watch.gets(7))
    after(30)(watch.asks())
    after(1000)(watch.gets(0))
    after(400)(watch.ended())
    assertEquals(reported, Vector(12L -> 450L))
  }
}
