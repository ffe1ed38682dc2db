package io.github.dynamickafka.spark.poll

import java.time.Duration

import scala.util.Random

import munit.FunSuite

/** What one metadata service is asked by many queries that have begun together. `make bench ARGS=fleet` asks a real one. */
class FleetSuite extends FunSuite {
  private val queries  = 20
  private val interval = Duration.ofSeconds(30)
  private val minute   = Duration.ofMinutes(1)

  // Of twenty random points, as many may well lie in one second of thirty.
  private val most = 4

  private def fleet[A](body: Fleet => A): A = {
    val random = new Random(7)
    val fleet  = new Fleet(Vector.fill(queries)(random.nextDouble()), interval)
    fleet.start()
    try body(fleet)
    finally fleet.close()
  }

  /** In each interval each asks once, and never many at the same time. */
  private def atRest(fleet: Fleet): Unit = {
    val seconds = fleet.requests(interval.multipliedBy(10))
    seconds.grouped(interval.toSeconds.toInt).foreach(each => assertEquals(each.sum, queries))
    assert(seconds.max <= most, seconds)
  }

  test("queries that have started together ask at times of their own, each once in an interval") {
    fleet(atRest)
  }

  test("a cluster that fails for all of them is one request of each at once, and not again an interval later") {
    fleet { fleet =>
      fleet.pass(Duration.ofSeconds(100))
      assertEquals(fleet.clusterFails(), queries)
      atRest(fleet)
    }
  }

  test("a service that refuses connections for a minute is asked no more than at rest, then and later") {
    fleet { fleet =>
      val meanwhile = fleet.refusing(minute)
      assertEquals((meanwhile.sum, fleet.failures), (2 * queries, 2 * queries))
      assert(meanwhile.max <= most, meanwhile)
      atRest(fleet)
      assertEquals(fleet.failures, 0)
    }
  }

  // Longer than the limit of a request, and so short that all requests are answered in the end.
  for ((name, time) <- Seq("a minute" -> minute, "half a minute" -> Duration.ofSeconds(29)))
    test(s"a service that was frozen for $name, and answers all at once, is not asked by all at once from then on") {
      fleet { fleet =>
        fleet.pass(Duration.ofSeconds(90))
        // Each waits for the one answer that it asked for.
        val meanwhile = fleet.frozen(time)
        assert(meanwhile.sum <= queries && meanwhile.max <= most, meanwhile)
        atRest(fleet)
        assertEquals(fleet.failures, 0)
      }
    }
}
