package io.github.dynamickafka.spark.read

import munit.FunSuite
import org.apache.kafka.common.errors.DisconnectException

import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}

class TaskFailureSuite extends FunSuite {
  private def ofJava(kind: Class[_]): Boolean = kind.getName.startsWith("java.")

  private def chain(e: Throwable): List[Throwable] = List.unfold(Option(e))(_.map(one => one -> Option(one.getCause)))

  test("what travels is of Java's own classes, with the same texts and stack traces, causes included") {
    val silent    = new DisconnectException("node 1 is gone")
    val failure   = DynamicKafkaException(Condition.ClusterUnreachable, "No answer.", silent)
    val travelled = TaskFailure.readable(failure)(ofJava)
    assertEquals(chain(travelled).filterNot(one => ofJava(one.getClass)), Nil)
    assertEquals(chain(travelled).map(_.getMessage), List(failure.getMessage, silent.toString))
    assertEquals(chain(travelled).map(_.getStackTrace.toList), chain(failure).map(_.getStackTrace.toList))
    assert(travelled.isInstanceOf[IllegalArgumentException])
  }

  test("a failure whose cause or neighbour the driver may not know is copied, too") {
    val cause  = new RuntimeException("outer", new DisconnectException("inner"))
    val beside = new RuntimeException("closed badly")
    beside.addSuppressed(new DisconnectException("while it was closed"))
    Seq(cause, beside).foreach { failure =>
      val travelled = TaskFailure.readable(failure)(ofJava)
      assertEquals(chain(travelled).filterNot(one => ofJava(one.getClass)), Nil)
      assertEquals(travelled.getSuppressed.toList, Nil)
    }
  }

  test("a failure that the driver knows stays the same object") {
    val failure = new java.io.IOException("disk", new IllegalStateException("full"))
    assert(TaskFailure.readable(failure)(ofJava) eq failure)
  }

  test("an interrupt goes through as it is, for Spark waits for it") {
    val stopped = new InterruptedException("the task was stopped")
    val met     =
      try TaskFailure.readably(throw stopped)
      catch { case e: InterruptedException => e }
    assertEquals(met, stopped)
  }
}
