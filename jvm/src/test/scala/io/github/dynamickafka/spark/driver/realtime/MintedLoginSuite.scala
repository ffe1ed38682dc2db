package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.{ReaderFailure, RealTimeAnswer, TakenPart}
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Under fail, each fetch brings another login for `eu`, as a service does that mints tokens. Executors can't read it with any
  * of them, for another reason.
  */
class MintedLoginSuite extends FunSuite with LiveScenes {
  private def minted(number: Int) = listed(
    "eu" -> topics("orders").copy(connection = Right(new ConnectionSettings(Map("client.id" -> s"token-$number")))),
    "us" -> topics("orders")
  )

  test("the second failure counts, whatever the next fetch brings: the query fails, and does not end batches for ever") {
    using(new Live(healthy, minted(0), realTime(fromEarliest))) { here =>
      var at    = SourceOffset.initial
      var fails = false
      var rest  = (1 to 6).toList
      while (!fails && rest.nonEmpty) {
        assertEquals(here.begins(at).map(_.take(2)), Vector("eu", "us"))
        // The fetch that the failure wants.
        here.lists(minted(rest.head))
        here.fails(ReaderFailure("DYNAMIC_KAFKA_NOT_AUTHORIZED", "refused", asks = false), TakenPart(0, 0))
        assert(here.within(5000)(here.says() != RealTimeAnswer.GoesOn))
        fails = here.says().isInstanceOf[RealTimeAnswer.Fails]
        if (!fails) at = here.ends(TakenPart(0, 0), TakenPart(1, 10))
        rest = rest.tail
      }
      assert(fails, "six batches in a row have ended early, and eu was never read")
    }
  }
}
