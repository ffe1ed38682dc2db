package io.github.dynamickafka.spark.status

import java.time.{Clock, Duration, Instant}
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import munit.FunSuite

import io.github.dynamickafka.spark.status.QueryState.{Failed, Stopped}

/** When a status is written, whatever its file system does. */
class StatusKeeperSuite extends FunSuite {
  private val first = QueryStatus(QueryIdentity("q", "r", None, "0"), looked = Some(ObservedClusters(SortedMap.empty)))

  /** Keeps what is written. */
  private class Kept(act: Int => Unit = _ => ()) extends StatusPlace {
    val texts                              = new LinkedBlockingQueue[String]
    private val tries                      = new AtomicInteger
    override def name: String              = "memory"
    def all: Vector[String]                = texts.asScala.toVector
    def next(): Option[String]             = Option(texts.poll(10, TimeUnit.SECONDS))
    override def write(text: String): Unit = {
      act(tries.getAndIncrement())
      texts.put(text)
    }
  }

  private def threads(name: String): Int =
    Thread.getAllStackTraces.keySet.asScala.count(_.getName == s"dynamic-kafka-status-$name")

  private def keeping(
      name: String,
      place: StatusPlace,
      over: () => Unit = () => ()
  )(body: StatusKeeper => Unit): Unit = {
    val keeper = new StatusKeeper(place, first, identity, Clock.systemUTC, name, over)
    keeper.start()
    try body(keeper)
    finally {
      keeper.close()
      keeper.finish()
    }
  }

  test("the first status comes at once, the last one says how the query has ended, and the thread ends") {
    val place = new Kept
    val over  = new CountDownLatch(1)
    keeping("ends", place, () => over.countDown()) { keeper =>
      assert(place.next().exists(_.contains("\"state\":\"running\"")), "no first status")
      keeper.ended(Stopped)
      keeper.close()
      assert(place.all.lastOption.exists(_.contains("\"state\":\"stopped\"")), place.all)
      keeper.endedFinally(Failed(Some("DYNAMIC_KAFKA_DATA_LOSS")))
      assert(over.await(4, TimeUnit.SECONDS), "it does not end as soon as the end is certain")
    }
    assert(place.all.last.contains("\"state\":\"failed\",\"condition\":\"DYNAMIC_KAFKA_DATA_LOSS\""), place.all)
    assertEquals(Iterator.continually(threads("ends")).take(100000).find(_ == 0), Some(0))
  }

  test("a place that hangs delays nobody but the end, for two seconds, and its call is interrupted") {
    val interrupted = new CountDownLatch(1)
    val place       = new Kept(_ =>
      try new CountDownLatch(1).await()
      catch {
        case hung: InterruptedException =>
          interrupted.countDown()
          throw hung
      }
    )
    val began = System.nanoTime
    keeping("hangs", place)(_.ended(Stopped))
    assert(System.nanoTime - began < 5e9, "it waited for the place")
    assert(interrupted.await(5, TimeUnit.SECONDS), "the call still hangs")
    assertEquals(place.all, Vector.empty)
  }

  test("a place that fails is tried again, at the end at once") {
    val broken = new AtomicBoolean(true)
    val tried  = new CountDownLatch(1)
    val place  = new Kept(_ => {
      val fails = broken.get
      tried.countDown()
      if (fails) throw new NoClassDefFoundError("org.example.Store")
    })
    keeping("fails", place) { keeper =>
      assert(tried.await(10, TimeUnit.SECONDS), "nothing was tried")
      broken.set(false)
      keeper.ended(Stopped)
      assert(place.next().exists(_.contains("\"state\":\"stopped\"")), "no last status")
    }
  }

  test("a status that can't be made costs the query nothing, and the last one comes all the same") {
    val place  = new Kept
    val keeper =
      new StatusKeeper(place, first, _ => throw new IllegalStateException("wrong"), Clock.systemUTC, "wrong")
    keeper.start()
    assert(place.next().exists(_.contains("running")), "no status")
    keeper.ended(Stopped)
    assert(place.next().exists(_.contains("stopped")), "no last status")
    keeper.finish()
  }

  private val now                  = Instant.EPOCH
  private def after(seconds: Long) = now.plus(Duration.ofSeconds(seconds))
  private def at(time: Instant)    = first.copy(looked = Some(ObservedClusters(SortedMap.empty, Some(time))))
  private val written              = StatusFileSchedule(at(now)).arrived(now)

  test("a change is due at once, counts and times every half minute, and after a failure there is a pause") {
    assert(StatusFileSchedule(first).due(now))
    assert(!written.copy(status = at(after(29))).due(after(29)))
    assert(written.copy(status = at(after(30))).due(after(30)))
    assert(written.copy(status = first.stopped).due(after(1)))
    val failed =
      written.copy(status = first.copy(refused = None, applied = Some(AppliedMetadata(None, now)))).lost("x", now)
    assert(!failed.due(after(9)))
    assert(failed.due(after(10)))
    assert(failed.copy(status = first.stopped).due(after(1)))
  }

  test("a clock that is set back silences no status") {
    val earlier = now.minus(Duration.ofHours(1))
    assert(written.copy(status = at(earlier)).due(earlier))
    assert(written.lost("x", now).due(earlier))
  }
}
