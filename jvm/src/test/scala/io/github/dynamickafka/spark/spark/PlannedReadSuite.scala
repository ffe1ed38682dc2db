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

  test("what one action reads is of one ask") {
    val scene = new Scene
    scene.action = Some("1")
    scene.read.now(): Unit
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 1)
  }

  test("each action asks anew, and so does who reads outside of one") {
    val scene = new Scene
    scene.read.now(): Unit
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 2)
    scene.action = Some("1")
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 3)
    scene.action = Some("2")
    scene.read.now(): Unit
    assertEquals(scene.asked.get, 4)
  }

  test("an ask that failed is not waited for again in the same action, but in another") {
    val scene = new Scene(() => throw new IllegalStateException("down"))
    scene.action = Some("1")
    intercept[IllegalStateException](scene.read.now())
    intercept[IllegalStateException](scene.read.now())
    assertEquals(scene.asked.get, 1)
    scene.action = Some("2")
    intercept[IllegalStateException](scene.read.now())
    assertEquals(scene.asked.get, 2)
  }
}
