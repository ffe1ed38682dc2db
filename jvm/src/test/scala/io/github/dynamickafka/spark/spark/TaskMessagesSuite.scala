package io.github.dynamickafka.spark.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import munit.FunSuite

import io.github.dynamickafka.spark.deferral.{Standstill, TakenRange, TaskReport, Verdict}

class TaskMessagesSuite extends FunSuite {

  /** The same as it arrives where no class of ours is known. */
  private def sent(message: AnyRef): AnyRef = {
    val bytes = new ByteArrayOutputStream
    val out   = new ObjectOutputStream(bytes)
    out.writeObject(message)
    out.close()
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override protected def resolveClass(form: java.io.ObjectStreamClass): Class[_] =
        Class.forName(form.getName, false, ClassLoader.getPlatformClassLoader)
    }
    in.readObject()
  }

  test("reports arrive as they were sent") {
    val report = TaskReport(
      Vector(TakenRange(0, 100), TakenRange(3, 40, Some(Standstill(2000, tookAny = true, refused = true))))
    )
    assertEquals(
      TaskMessages.read(sent(TaskMessages.report(2, "4", report))),
      TaskMessages.Report(2, "4", report): TaskMessages.Question
    )
    val some = report.copy(partial = true)
    assertEquals(
      TaskMessages.read(sent(TaskMessages.report(2, "4", some))),
      TaskMessages.Report(2, "4", some): TaskMessages.Question
    )
    assertEquals(
      TaskMessages.read(sent(TaskMessages.known(2, Vector(1, 5)))),
      TaskMessages.Known(2, Vector(1, 5)): TaskMessages.Question
    )
  }

  test("verdicts arrive as they were sent") {
    val all = Seq[Verdict](
      Verdict.Ends,
      Verdict.ReadsOn(Map(1 -> 40L)),
      Verdict.RunsAgain(Map(1 -> 40L, 2 -> 7L)),
      Verdict.Waits(1500),
      Verdict.Fails(Vector(1, 2))
    )
    all.foreach(one => assertEquals(TaskMessages.verdict(sent(TaskMessages.answer(one))), one))
  }

  test("anything else is an error") {
    intercept[IllegalArgumentException](TaskMessages.read("known"))
    intercept[IllegalArgumentException](TaskMessages.verdict(Array[AnyRef]("maybe")))
    intercept[IllegalArgumentException](TaskMessages.verdict(sent(TaskMessages.failed)))
  }
}
