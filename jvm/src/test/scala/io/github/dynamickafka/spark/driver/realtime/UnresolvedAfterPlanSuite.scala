package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.SourceOffset

/** Spark asks for the reader factory some time after it has planned the batch. The driver may look in between. */
class UnresolvedAfterPlanSuite extends FunSuite with LiveScenes {
  test("a placeholder that can't be resolved any more fails no task of a batch that is planned already") {
    using(new Live(healthy, both)) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.next(listed("eu" -> topics("orders"), "us" -> topics("orders").unresolved))
      assert(here.within(5000)(here.driver.remembered.topology.exists(_.unresolved(ClusterId("us")).isDefined)))
      // What `createReaderFactory` gives to the tasks of this batch.
      assertEquals(here.driver.connectionsOfBatch.keySet, Set(ClusterId("eu"), ClusterId("us")))
    }
  }
}
