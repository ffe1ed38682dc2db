package io.github.dynamickafka.spark.poll

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.collection.immutable.SortedMap

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.{FetchedTopology, MetadataFetch}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** A fetch that follows a script, and records its calls. */
final private class ScriptedFetch extends MetadataFetch {
  private val behaviour = new AtomicReference[() => FetchedTopology](() => ScriptedFetch.listing("eu"))
  private val asked     = new AtomicReference(Vector.empty[Set[ClusterId]])

  def now(next: => FetchedTopology): Unit = behaviour.set(() => next)

  /** Hangs until the test releases it, even if it is interrupted, and then answers. */
  def hang(answer: FetchedTopology = ScriptedFetch.listing("late")): Hang = {
    val hang = new Hang
    now {
      hang.enter()
      answer
    }
    hang
  }

  def calls: Vector[Set[ClusterId]] = asked.get

  override def apply(draining: Set[ClusterId]): FetchedTopology = {
    asked.updateAndGet(_ :+ draining)
    behaviour.get.apply()
  }
}

private object ScriptedFetch {

  /** A topology of clusters without topics. */
  def listing(clusters: String*): FetchedTopology = FetchedTopology(
    Topology(clusters.map { id =>
      ClusterId(id) -> ListedCluster(
        SortedMap.empty,
        Right(new ConnectionSettings(Map("bootstrap.servers" -> s"$id:9092")))
      )
    }.to(SortedMap)),
    Set.empty
  )
}

/** A place where calls wait until the test releases them. */
final private class Hang {
  private val entered    = new CountDownLatch(1)
  private val free       = new CountDownLatch(1)
  private val interrupts = new AtomicInteger

  def enter(): Unit = {
    entered.countDown()
    while (free.getCount > 0)
      try free.await()
      catch {
        case _: InterruptedException =>
          interrupts.incrementAndGet()
          ()
      }
  }

  def awaitEntered(): Unit = assert(entered.await(10, TimeUnit.SECONDS), "no call came")
  def letGo(): Unit        = free.countDown()
  def interrupted: Int     = interrupts.get
}
