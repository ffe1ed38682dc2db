package io.github.dynamickafka.spark.spark

import munit.FunSuite

class SparkVersionSuite extends FunSuite {
  test("a Spark before 4.0 is refused by its name") {
    for (old <- Seq("3.5.9", "3.4.1-amzn-0")) {
      val refused = intercept[IllegalStateException](SparkVersion.check(old))
      assert(refused.getMessage.contains(s"needs Spark 4.0 or newer, and this is Spark $old"), refused.getMessage)
    }
    for (good <- Seq("4.0.0", "4.3.0", "5.0.0-SNAPSHOT", "10.1")) SparkVersion.check(good)
  }
}
