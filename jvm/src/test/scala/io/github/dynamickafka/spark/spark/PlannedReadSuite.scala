package io.github.dynamickafka.spark.spark

import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import io.github.dynamickafka.spark.driver.bounded.BoundedRead

/** How often the clusters are asked what a batch read reads. */
class PlannedReadSuite extends FunSuite {
  private class Scene(outcome: () => BoundedRead = () => BoundedRead(Vector.empty, Map.empty)) {
    val asked                            = new AtomicInteger
    @volatile var action: Option[String] = None
    val read                             = new PlannedRead(() => { asked.incrementAndGet(); outcome() }, () => action)
  }

  test("an estimate and the read of one action are of one ask") {
    val scene = new Scene
    scene.action = Some("1")
    assert(scene.read.estimate().isSuccess)
    scene.read.now(): Unit
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 1)
  }

  test("a plan that was only explained is asked about anew when it is read") {
    val scene = new Scene
    assert(scene.read.estimate().isSuccess && scene.read.estimate().isSuccess)
    assertEquals(scene.asked.get, 1)
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 2)
    scene.action = Some("1")
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 3)
    scene.action = Some("2")
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 4)
  }

  test("an estimate that failed is not waited for again, and fails the read of the same action, not another") {
    val scene = new Scene(() => throw new IllegalStateException("down"))
    scene.action = Some("1")
    assert(scene.read.estimate().isFailure && scene.read.estimate().isFailure)
    intercept[IllegalStateException](scene.read.now())
    assertEquals((scene.asked.get, scene.read.known), (1, None))
    scene.action = Some("2")
    intercept[IllegalStateException](scene.read.now())
    assertEquals(scene.asked.get, 2)
  }

  test("what nobody has asked for is not known, and is not asked for to be shown") {
    val scene = new Scene
    assertEquals((scene.read.known, scene.asked.get), (None, 0))
  }
}
