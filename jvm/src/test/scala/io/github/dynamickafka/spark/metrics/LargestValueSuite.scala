package io.github.dynamickafka.spark.metrics

class LargestValueSuite extends munit.FunSuite {
  private def of(values: Long*): LargestValue = {
    val largest = new LargestValue
    values.foreach(largest.add)
    largest
  }

  test("it is the largest of all that was added or merged, negative values included, and none before") {
    assertEquals(of().value, None)
    assertEquals(of(-7, -3, -5).value, Some(-3L))
    val merged = of(4)
    merged.merge(of(9, 2))
    merged.merge(of())
    assertEquals(merged.value, Some(9L))
  }

  test("a copy is independent, and a reset begins anew") {
    val first = of(4)
    val copy  = first.copy()
    first.reset()
    assert(first.isZero)
    assertEquals(copy.value, Some(4L))
  }
}
