package io.github.dynamickafka.spark.driver.trigger

import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.immutable.SortedMap
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Random

import munit.FunSuite

import io.github.dynamickafka.spark.ask.{AskedClusters, WaitMode}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Clusters that answer late, by what they had at any moment since they were asked. Histories run in real time, side by
  * side: five seconds long, or `LATE_SECONDS`. So a seed does not repeat one.
  */
trait LateWorlds { self: FunSuite =>
  override val munitTimeout: Duration = 30.minutes

  private val seconds = sys.env.getOrElse("LATE_SECONDS", "5").toLong
  private val width   = 12

  /** @param run one history by its seed: what was wrong, and what happened, if anything was wrong */
  protected def assertRight(run: Long => Option[String]): Unit = {
    val until = System.nanoTime + TimeUnit.SECONDS.toNanos(seconds)
    val found = new ConcurrentLinkedQueue[String]
    val count = new AtomicInteger
    val pool  = Executors.newFixedThreadPool(width)
    val tasks = Vector.fill(width)(pool.submit[Unit] { () =>
      while (System.nanoTime < until && found.isEmpty) {
        run(Random.nextLong()).foreach(found.add(_): Unit)
        count.incrementAndGet(): Unit
      }
    })
    tasks.foreach(_.get())
    pool.shutdown()
    assert(found.isEmpty, s"of ${count.get} histories:\n${found.asScala.mkString("\n\n")}")
  }

  // eu2 is another id of eu.
  protected def kafkaOf(id: String) = if (id == "eu2") "eu" else id

  protected class World(chance: Random) extends AskedClusters {
    private case class Log(end: Long, epoch: Int)
    private var logs = Map(
      "eu" -> Vector(Log(10, 1), Log(10, 1)),
      "us" -> Vector(Log(10, 1), Log(10, 1))
    )
    private var known  = Map.empty[ClusterId, ConnectionSettings]
    private val open   = new ConcurrentLinkedQueue[(ClusterId, ConnectionSettings, CompletableFuture[_])]
    @volatile var calm = false
    // A broker that is behind says once that there is no topic.
    private var behind = Set.empty[ClusterId]

    def epoch(id: String, partition: Int): Int = synchronized(logs(kafkaOf(id))(partition).epoch)
    def end(id: String, partition: Int): Long  = synchronized(logs(kafkaOf(id))(partition).end)
    private def ends(id: String)               = synchronized(logs(id).map(_.end))

    /** The partitions that were not read from their first record to their last one, each once and in order. */
    def wrong(read: Map[(String, Int), Vector[(Long, Long)]]): Option[String] = {
      val problems = for {
        id       <- Vector("eu", "us")
        (end, n) <- ends(id).zipWithIndex if end > 0
        parts = read.getOrElse(id -> n, Vector.empty)
        if !(0L +: parts.map(_._2)).zip(parts.map(_._1) :+ end).forall { case (to, from) => to == from }
      } yield s"$id $n has $end: $parts"
      Option.when(problems.nonEmpty)(problems.mkString("; "))
    }

    def happens(): Unit = synchronized {
      val id = if (chance.nextBoolean()) "eu" else "us"
      val at = chance.nextInt(logs(id).size)
      val it = logs(id)(at)
      chance.nextInt(8) match {
        case 0 if logs(id).size < 4 => logs = logs.updated(id, logs(id) :+ Log(0, 1))
        case 1                      => logs = logs.updated(id, logs(id).updated(at, it.copy(epoch = it.epoch + 1)))
        case _ => logs = logs.updated(id, logs(id).map(one => one.copy(end = one.end + chance.nextInt(5))))
      }
    }

    private def said(id: ClusterId, topics: Set[String], limited: Boolean): Answered = synchronized {
      val here   = logs(kafkaOf(id.value))
      val silent = if (calm || !limited || chance.nextInt(4) > 0) Set.empty[Int]
      else here.indices.filter(_ => chance.nextInt(3) == 0).toSet
      val extents = here.zipWithIndex.collect {
        case (log, n) if !silent(n) =>
          n -> Extent(0, log.end, log.end, Some(log.epoch))
      }.toMap
      val absent = !calm && !behind(id) && chance.nextInt(25) == 0
      if (absent) behind += id
      val why = ReadObstacle(partitions = silent.map(_ -> ReadObstacle.NoAnswer).to(SortedMap))
      Answered(
        Some("K-" + kafkaOf(id.value)),
        topics.map(name =>
          name -> (if (absent) TopicObservation.Absent else Present(Some("T-" + kafkaOf(id.value)), extents, why))
        ).toMap
      )
    }

    private def late[A](id: ClusterId, answer: () => A, failed: => A): CompletableFuture[A] = synchronized {
      if (calm) CompletableFuture.completedFuture(answer())
      else {
        val delay  = Vector(0, 0, 0, 0, 5, 60, 280, 500, 900, 1400)(chance.nextInt(10))
        val early  = if (chance.nextBoolean()) Some(answer()) else None
        val fails  = chance.nextInt(8) == 0
        val future = new CompletableFuture[A]
        def end()  = future.complete(if (fails) failed else early.getOrElse(answer())): Unit
        if (delay == 0) end()
        else {
          known.get(id).foreach(now => open.add((id, now, future)))
          CompletableFuture.delayedExecutor(delay.toLong, TimeUnit.MILLISECONDS, Pool.threads).execute(() => end())
        }
        future
      }
    }

    override def keep(connections: Map[ClusterId, ConnectionSettings]): Unit = synchronized {
      known = connections
      open.asScala.toVector.foreach { case entry @ (id, by, future) =>
        if (future.isDone) open.remove(entry): Unit
        else if (!known.get(id).contains(by)) {
          open.remove(entry)
          Pool.threads.execute(() =>
            future.asInstanceOf[CompletableFuture[Any]].complete(
              Failed(Failure(Condition.ClusterUnreachable, "closed"))
            ): Unit
          )
        }
      }
    }

    override def observing(
        cluster: ClusterId,
        topics: Set[String],
        waitMode: WaitMode
    ): CompletableFuture[ClusterObservation] =
      late[ClusterObservation](cluster, () => said(cluster, topics, waitMode == WaitMode.Limited), down)

    override def resolving(
        cluster: ClusterId,
        questions: Set[Question]
    ): CompletableFuture[Either[Failed, Map[Question, Option[Long]]]] = {
      def answers = questions.collect {
        case q @ Question(_, LogAgreement(at, _)) if calm || synchronized(chance.nextInt(4)) > 0 => q -> Option(at)
      }.toMap
      val wanted = new CompletableFuture[Either[Failed, Map[Question, Option[Long]]]]
      late[Any](cluster, () => Right(answers), Left(down)).thenAccept {
        case failed: Failed => wanted.complete(Left(failed)): Unit
        case other          => wanted.complete(other.asInstanceOf[Either[Failed, Map[Question, Option[Long]]]]): Unit
      }: Unit
      wanted
    }

    override def close(): Unit = keep(Map.empty)
  }

  protected object Pool {
    val threads = Executors.newFixedThreadPool(
      16,
      (task: Runnable) => {
        val made = new Thread(task, "late")
        made.setDaemon(true)
        made
      }
    )
  }
}
