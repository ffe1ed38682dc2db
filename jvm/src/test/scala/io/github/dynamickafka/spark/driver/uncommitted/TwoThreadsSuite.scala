package io.github.dynamickafka.spark.driver.uncommitted

import java.nio.file.Files
import java.time.Clock
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Try

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{MirrorFinding, MirrorFindings, MirrorLag}
import io.github.dynamickafka.spark.options.UnreadableRangePolicy

/** The query's thread records something, while a late task of an earlier batch asks. */
class TwoThreadsSuite extends FunSuite {
  private val mirror        = ClusterId("us")
  private def eu(n: Int)    = partition("eu", "orders", n)
  private def found(n: Int) = MirrorFindings.of(Vector(mirror -> (eu(n) -> MirrorFinding(MirrorLag(5, 10), 0))))

  test("what the query's thread records is kept, whatever tasks ask meanwhile") {
    val place = Files.createTempDirectory("decisions").toUri.toString
    val store = new DecisionFolder(place, new Configuration)
    val here  = new Deferrals(UnreadableRangePolicy.Defer, store, QueryLog.unnamed, Clock.systemUTC)
    val over  = new AtomicBoolean(false)
    val tasks = new Thread(() => while (!over.get) Try(here.makeSure()): Unit)
    tasks.start()
    try for (n <- 0 until 100) here.behind(found(n))
    finally {
      over.set(true)
      tasks.join()
    }
    assertEquals(here.ofFailed.mirrored.by(mirror).keysIterator.toSet, (0 until 100).map(eu).toSet)
  }
}
