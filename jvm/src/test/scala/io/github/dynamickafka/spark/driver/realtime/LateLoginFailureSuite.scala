package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, TakenPart}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** In Real-Time Mode, under skip: credentials are rotated. The metadata have the new ones, so the batch is ending. Its task is
  * still in its sink when Kafka refuses the old ones.
  */
class LateLoginFailureSuite extends FunSuite with LiveScenes {
  private val rotated = listed(
    "eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("client.id" -> "another")))),
    "us" -> topics("orders")
  )

  test("a reader with the old login fails once the batch is ending: the next batch reads with the new one") {
    using(new Live(healthy, both, realTime())) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.next(rotated)
      assert(here.endsEarly())
      here.fails(ReaderFailure("DYNAMIC_KAFKA_AUTHENTICATION_FAILED", "the old login", asks = false), TakenPart(1, 10))
      // The driver looks at the failure.
      here.looks()
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
    }
  }

  test("control: the reader fails before the metadata have the new login") {
    using(new Live(healthy, both, realTime())) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0", "us 0 0"))
      here.fails(ReaderFailure("DYNAMIC_KAFKA_AUTHENTICATION_FAILED", "the old login", asks = false), TakenPart(1, 10))
      here.looks()
      here.next(rotated)
      assert(here.endsEarly())
      assertEquals(here.begins(here.ends(TakenPart(0, 5), TakenPart(1, 10))), Vector("eu 0 5", "us 0 10"))
    }
  }
}
