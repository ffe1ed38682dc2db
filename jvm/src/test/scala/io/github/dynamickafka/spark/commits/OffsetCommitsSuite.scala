package io.github.dynamickafka.spark.commits

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeoutException}
import java.util.concurrent.TimeUnit.{MILLISECONDS, SECONDS}

import scala.collection.mutable

import munit.FunSuite
import org.apache.kafka.common.TopicPartition

import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.ManualClock
import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.offsets.{Deferred, PartitionOffset, SourceOffset}

/** When positions are committed, and what becomes of a commit that fails. How a cluster takes one is left to the
  * scenarios.
  */
class OffsetCommitsSuite extends FunSuite {

  private class Clients extends CommitClients {
    val sent    = mutable.Buffer.empty[String]
    var present = true
    var runs    = Map.empty[ClusterId, (CommitRun, CompletableFuture[Void])]

    override def committing(cluster: ClusterId, run: CommitRun): Option[CompletableFuture[Void]] =
      Option.when(present) {
        val ended = new CompletableFuture[Void]
        runs = runs.updated(cluster, run -> ended)
        send(cluster)
        ended
      }

    private def send(cluster: ClusterId): Unit = runs(cluster)._1.next() match {
      case Some(commit) =>
        sent += s"$cluster ${commit.toVector.map(p => s"${p._1}=${p._2}").sorted.mkString(" ")}": Unit
      case None => runs(cluster)._2.complete(null): Unit
    }

    def answers(cluster: String, outcome: CommitOutcome): Unit = {
      runs(ClusterId(cluster))._1.done(outcome)
      if (outcome == CommitOutcome.Closed) runs(ClusterId(cluster))._2.complete(null): Unit
      else send(ClusterId(cluster))
    }
  }

  private val why = Failure(Condition.NotAuthorized, "no")

  private def at(eu: Long, us: Long = 7): SourceOffset = offset(
    id("eu", "orders", 0) -> PartitionOffset(0, eu, 0),
    id("eu", "orders", 1) -> PartitionOffset(0, 3, 0),
    id("us", "orders", 0) -> PartitionOffset(0, us, 0)
  )

  private class Publishing {
    val clients = new Clients
    val clock   = new ManualClock
    val commits = new OffsetCommits(clients, QueryLog.unnamed, clock)

    def finished(end: SourceOffset): Unit = commits.finished(end, Deferred.nothing)

    def taken(clusters: String*): Unit = clusters.foreach(clients.answers(_, CommitOutcome.Committed))

    def refused(cluster: String, partitions: TopicPartition*): Unit =
      clients.answers(cluster, CommitOutcome.Refused(partitions.toSet, why))

    def sent(): Vector[String] = {
      val all = clients.sent.toVector.sorted
      clients.sent.clear()
      all
    }
  }

  private val first = new TopicPartition("orders", 0)

  test("all positions are committed at first, and then those that move") {
    val here = new Publishing
    here.finished(at(5))
    here.taken("eu", "us")
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3", "us orders-0=7"))
    here.finished(at(6))
    here.taken("eu")
    assertEquals(here.sent(), Vector("eu orders-0=6"))
    here.finished(at(6))
    assertEquals(here.sent(), Vector.empty)
  }

  test("a commit is for the Kafka cluster whose positions it has, as far as that is known") {
    val here = new Publishing
    val end  = at(5)
    here.finished(end.copy(clusters = end.clusters.updatedWith(ClusterId("eu"))(_.map(_.copy(kafkaId = Some("K1"))))))
    assertEquals(
      here.clients.runs.transform((_, run) => run._1.kafkaId),
      Map(ClusterId("eu") -> Option("K1"), ClusterId("us") -> None)
    )
  }

  test("one commit is under way per cluster, and then the newest positions are committed") {
    val here = new Publishing
    for (eu <- Seq(5L, 6L, 8L)) here.finished(at(eu))
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3", "us orders-0=7"))
    here.taken("eu")
    assertEquals(here.sent(), Vector("eu orders-0=8"))
    here.taken("eu")
    assertEquals(here.sent(), Vector.empty)
  }

  test("a refused commit is counted, waits, and then has the newest positions; what was taken is not repeated") {
    val here   = new Publishing
    val newest = at(6)
    here.finished(at(5))
    here.finished(newest)
    here.taken("us")
    here.refused("eu", first)
    here.sent(): Unit
    assertEquals(here.commits.failures, 1L)
    here.finished(newest)
    assertEquals(here.sent(), Vector.empty)
    here.clock.advance(ClusterCommits.Pause)
    here.finished(newest)
    assertEquals(here.sent(), Vector("eu orders-0=6"))
    here.taken("eu")
    assertEquals(here.commits.failures, 1L)
  }

  test("all positions are committed again after an hour, so that brokers do not forget those that rest") {
    val here = new Publishing
    here.finished(at(5))
    here.taken("eu", "us")
    here.sent(): Unit
    here.clock.advance(ClusterCommits.Renewal)
    here.finished(at(5))
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3", "us orders-0=7"))
  }

  test("a clock that is set back holds up neither what was refused nor what is committed again") {
    val here = new Publishing
    here.finished(at(5))
    here.taken("us")
    here.refused("eu", first)
    here.sent(): Unit
    here.clock.advance(Duration.ofHours(-2))
    here.finished(at(6))
    assertEquals(here.sent().filter(_.startsWith("eu")), Vector("eu orders-0=6 orders-1=3"))
    here.taken("eu")
    here.clock.advance(Duration.ofHours(-2))
    here.finished(at(6))
    assertEquals(here.sent().filter(_.startsWith("eu")), Vector("eu orders-0=6 orders-1=3"))
  }

  test("of very many positions several commits are made, one after another") {
    val here = new Publishing
    val many = 2 * ClusterCommits.MostAtOnce + 1
    here.finished(offset((0 until many).map(n => id("eu", "orders", n) -> PartitionOffset(0, 1, 0)): _*))
    here.taken("eu", "eu", "eu")
    val commits = here.sent().map(_.split(' ').drop(1).toSet)
    assertEquals(commits.map(_.size).sorted, Vector(1, ClusterCommits.MostAtOnce, ClusterCommits.MostAtOnce))
    assertEquals(commits.reduce(_ ++ _).size, many)
  }

  test("a cluster without a client is no failure, and is committed once it has one") {
    val here = new Publishing
    here.clients.present = false
    here.finished(at(5))
    here.clients.present = true
    here.finished(at(5))
    here.taken("eu", "us")
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3", "us orders-0=7"))
    assertEquals(here.commits.failures, 0L)
  }

  test("a client that is closed is no failure, and the next one commits") {
    val here = new Publishing
    here.finished(at(5))
    here.taken("us")
    here.clients.answers("eu", CommitOutcome.Closed)
    here.sent(): Unit
    here.finished(at(5))
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3"))
    assertEquals(here.commits.failures, 0L)
  }

  test("before the first batch nothing is committed") {
    val here = new Publishing
    here.finished(SourceOffset.initial)
    here.commits.begins(at(5))
    assertEquals(here.sent(), Vector.empty)
  }

  test("the end waits for the last commit, also under an interrupt, and not for a cluster that fails") {
    val here = new Publishing
    here.finished(at(5))
    here.refused("us", first)
    here.finished(at(6))
    val closing = CompletableFuture.supplyAsync { () =>
      Thread.currentThread.interrupt()
      here.commits.ending()
      here.commits.close()
      Thread.interrupted()
    }
    intercept[TimeoutException](closing.get(200, MILLISECONDS)): Unit
    here.taken("eu", "eu")
    assertEquals(closing.get(10, SECONDS), true)
    assertEquals(here.sent(), Vector("eu orders-0=5 orders-1=3", "eu orders-0=6", "us orders-0=7"))
  }

  test("the end does not wait long for a cluster that does not answer") {
    val here  = new Publishing
    val began = System.nanoTime
    here.finished(at(5))
    here.commits.ending()
    here.commits.close()
    assert(System.nanoTime - began < Duration.ofSeconds(5).toNanos)
  }
}
