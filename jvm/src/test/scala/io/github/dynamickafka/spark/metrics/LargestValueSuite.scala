package io.github.dynamickafka.spark.metrics

import java.lang.{Long => JLong}

import org.apache.spark.util.CollectionAccumulator

class LargestValueSuite extends munit.FunSuite {
  private def of(values: Long*): (LargestValue, CollectionAccumulator[JLong]) = {
    val kept    = new CollectionAccumulator[JLong]
    val largest = new LargestValue(kept)
    values.foreach(largest.add)
    largest -> kept
  }

  test("it is the largest of all that tasks found, negative values included, and none before") {
    assertEquals(of()._1.value, None)
    assertEquals(of(-7, -3, -5)._1.value, Some(-3L))
    // Spark merges what came from each task into the one on the driver.
    val (driver, kept) = of()
    Seq(of(4, 1), of(9, 2), of()).foreach { case (_, task) => kept.merge(task) }
    assertEquals(driver.value, Some(9L))
  }

  test("of a task one number travels, however many it found") {
    assertEquals(of(1L to 1000L: _*)._2.value.size, 1)
  }

  test("a reset begins anew") {
    val (largest, kept) = of(4)
    largest.reset()
    assert(kept.isZero)
    assertEquals(largest.value, None)
    largest.add(2)
    assertEquals(largest.value, Some(2L))
  }
}
