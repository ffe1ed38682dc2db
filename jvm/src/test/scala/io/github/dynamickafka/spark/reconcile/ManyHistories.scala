package io.github.dynamickafka.spark.reconcile

import munit.ScalaCheckSuite

/** How many histories a suite tries: the same thousand in each run, so that a run is as good as the one before, and with
  * the environment's `HISTORIES` so many others, each time new ones (`make histories`). `SEED`, as a failure prints it, repeats
  * such a run from its first history on.
  */
trait ManyHistories extends ScalaCheckSuite {
  private val others = sys.env.get("HISTORIES").map(_.toInt)

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(others.getOrElse(1000))

  override def scalaCheckInitialSeed: String =
    if (others.isEmpty) "vOQcXQIB9naubNgkASrUuuwX-2BUyvYl28OcXnSt-iP="
    else sys.env.getOrElse("SEED", super.scalaCheckInitialSeed)
}
