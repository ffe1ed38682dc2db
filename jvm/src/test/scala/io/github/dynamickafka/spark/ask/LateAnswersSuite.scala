package io.github.dynamickafka.spark.ask

import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.collection.mutable

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Answers that come during a trigger or later, by a clock that the test moves. Leaves out the wait itself. */
class LateAnswersSuite extends FunSuite {
  private val eu   = ClusterId("eu")
  private val soon = ClusterWatch.Soon.toMillis

  private class Scene {
    var now = 0L
    // Milliseconds of the real clock, if the next answer comes by itself.
    var comesIn = Option.empty[Long]
    val asked   = mutable.Buffer.empty[(String, CompletableFuture[String])]
    val answers = new LateAnswers[String, String](
      (_, question) => {
        val answer = new CompletableFuture[String]
        asked += question -> answer
        comesIn.foreach(answer.completeOnTimeout(question, _, TimeUnit.MILLISECONDS))
        answer
      },
      () => now * 1000000
    )
    connected("old")

    def connected(password: String): Unit =
      answers.keep(Map(eu -> new ConnectionSettings(Map("password" -> password))))

    def comes(after: Long, answer: String): Unit = {
      now += after
      asked.last._2.complete(answer): Unit
    }

    def asks(question: String, needed: Boolean = false): Option[String] =
      answers.answers(Map(eu -> question), _ => needed)(eu)

    def arrived: Option[String] = answers.arrived(_ => false).get(eu)
  }

  // A trigger that waits in vain.
  private def late(scene: Scene, question: String): Unit = assertEquals(scene.asks(question), None)

  test("what comes after its trigger is there for the next one, once") {
    val scene = new Scene
    late(scene, "a")
    assertEquals(scene.arrived, None)
    scene.comes(soon + 200, "A")
    assertEquals((scene.arrived, scene.arrived), (Some("A"), None))
  }

  test("one question is under way at a time, and nobody waits for it any more") {
    val scene = new Scene
    late(scene, "a")
    scene.now = soon
    assertEquals((scene.asks("b"), scene.asked.map(_._1).toVector), (None, Vector("a")))
    scene.comes(1, "A")
    assertEquals(scene.asks("b"), Some("A"))
  }

  test("after a slow answer the next question is not waited for, and after one that came soon it is again") {
    val scene = new Scene
    late(scene, "a")
    scene.comes(soon + 200, "A")
    assertEquals(scene.arrived, Some("A"))
    val began = System.nanoTime
    assertEquals(scene.asks("b"), None)
    assert(System.nanoTime - began < soon * 500000)
    scene.comes(100, "B")
    assertEquals(scene.arrived, Some("B"))
    scene.comesIn = Some(50)
    assertEquals(scene.asks("c"), Some("c"))
  }

  test("what comes by an earlier connection is dropped, and nobody waits for a cluster that is not asked any more") {
    val scene = new Scene
    late(scene, "a")
    scene.connected("new")
    scene.comes(1, "A")
    assertEquals(scene.arrived, None)
    scene.answers.keep(Map.empty)
    assertEquals(scene.answers.answers(Map(eu -> "b"), _ => true), Map.empty[ClusterId, Option[String]])
    assertEquals(scene.asked.size, 1)
  }

  test("nobody waits for a cluster again because its credentials change while it hangs") {
    val scene = new Scene
    late(scene, "a")
    for (password <- 1 to 3) {
      scene.now += soon + 200
      scene.connected(s"new $password")
      val began = System.nanoTime
      assertEquals(scene.asks("b"), None)
      assert(System.nanoTime - began < soon * 500000, "it was waited for again")
    }
    assertEquals(scene.asked.size, 4, "each connection is asked")
  }

  test("whoever needs a cluster waits for what is under way there") {
    val scene = new Scene
    late(scene, "a")
    scene.now = soon
    val waker = new Thread(() => scene.comes(60000, "A"))
    waker.start()
    assertEquals(scene.answers.arrived(_ => true).get(eu), Some("A"))
    waker.join()
  }
}
