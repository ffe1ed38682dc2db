package io.github.dynamickafka.spark.driver.realtime

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.fakes.UncleanElection
import io.github.dynamickafka.spark.offsets.SourceOffset
import io.github.dynamickafka.spark.realtime.TakenPart

/** A log is cut off while a real-time batch runs. Tasks report how far they are without epochs while it runs, and with
  * epochs when it ends.
  */
class CutWhileRunningSuite extends FunSuite with LiveScenes {

  private def unclean = new UncleanElection(had = 10, has = 14)

  /** What follows the cut.
    *
    * @param looked whether the query has looked at what the tasks had reported before
    */
  private def afterCut[A](looked: Boolean)(what: Live => A): A = {
    val clusters = unclean
    using(new Live(clusters, alone, realTime(fromEarliest))) { here =>
      assertEquals(here.begins(SourceOffset.initial), Vector("eu 0 0"))
      if (looked) {
        here.says(TakenPart(0, 10)): Unit
        def position = here.driver.remembered.last.flatMap(_.held.get(partition("eu", "orders", 0)))
        assert(here.within(5000)(position.exists(_.next == 10)))
      }
      clusters.elects()
      what(here)
    }
  }

  for (looked <- Seq(false, true)) {
    test(s"if its topic is removed as well, the drain begins at the cut; looked at before: $looked") {
      val drains = afterCut(looked) { here =>
        here.next(listed("eu" -> topics()))
        assert(here.endsEarly())
        val end = here.ends(TakenPart(0, 10, Some(1)))
        here.live.latest(end): Unit
        here.live.plan(end).map(one => s"${one.id.cluster} ${one.from}-${one.until}")
      }
      assertEquals(drains, Vector("eu 6-14"))
    }

    test(s"the next batch does not begin, since records are lost; looked at before: $looked") {
      val failed = afterCut(looked) { here =>
        val end = here.ends(TakenPart(0, 10, Some(1)))
        intercept[DynamicKafkaException](here.begins(end)).condition.name
      }
      assertEquals(failed, "DYNAMIC_KAFKA_DATA_LOSS")
    }
  }
}
