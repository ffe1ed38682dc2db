package io.github.dynamickafka.spark.driver.trigger

import java.time.{Duration => JavaDuration}
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.immutable.SortedMap
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Random
import scala.util.control.NonFatal

import munit.FunSuite

import io.github.dynamickafka.spark.ask.{AskedClusters, CallOrder, WaitMode}
import io.github.dynamickafka.spark.errors.{Condition, Failure}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.offsets.LogAgreement
import io.github.dynamickafka.spark.poll.MetadataPoller
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.{ClusterObservation, Extent, ReadObstacle, TopicObservation}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.{Answered, Failed}
import io.github.dynamickafka.spark.reconcile.observed.TopicObservation.Present
import io.github.dynamickafka.spark.topology.{ConnectionSettings, ListedCluster, Topology}

/** Clusters that answer late, by what they had at any moment since they were asked. Histories run in real time, side by
  * side: five seconds long, or `LATE_SECONDS`. So a seed does not repeat one.
  */
trait LateWorlds { self: FunSuite =>
  override val munitTimeout: Duration = 30.minutes

  private val seconds = sys.env.getOrElse("LATE_SECONDS", "5").toLong
  private val width   = 12

  /** @param begin one history by its seed
    * @param steps how many it has
    */
  protected def assertRight(steps: Int)(begin: Long => Story): Unit = {
    def run(seed: Long): Option[String] = {
      val story = begin(seed)
      try {
        for (_ <- 1 to steps) story.steps()
        story.recovers()
        story.wrong
      } catch {
        case NonFatal(e) => Some((e +: e.getStackTrace.take(8)).mkString("\n") + s"\n${story.history}")
      } finally story.close()
    }
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
        case q @ Question(_, LogAgreement(at, _, _)) if calm || synchronized(chance.nextInt(4)) > 0 => q -> Option(at)
      }.toMap
      val wanted = new CompletableFuture[Either[Failed, Map[Question, Option[Long]]]]
      late[Any](cluster, () => Right(answers), Left(down)).thenAccept {
        case failed: Failed => wanted.complete(Left(failed)): Unit
        case other          => wanted.complete(other.asInstanceOf[Either[Failed, Map[Question, Option[Long]]]]): Unit
      }: Unit
      wanted
    }

    /** Waits until no answer is under way. */
    def settles(): Unit = CompletableFuture.allOf(open.asScala.map(_._3).toSeq: _*).join(): Unit

    override def close(): Unit = keep(Map.empty)
  }

  /** What happens in one history: what the metadata list, and what was read. */
  abstract protected class Story(seed: Long) {
    protected val chance   = new Random(seed)
    protected val kafka    = new World(new Random(seed + 1))
    private var version    = 0
    protected var topology = listing
    private var read       = Map.empty[(String, Int), Vector[(Long, Long)]]
    private var events     = Vector.empty[String]

    protected def poller: MetadataPoller

    /** One of its steps. */
    def steps(): Unit

    /** All is healthy from now on: what is left is read. */
    def recovers(): Unit

    def close(): Unit

    def wrong: Option[String] = kafka.wrong(read).map(text => s"$text\n$history")

    def history: String = events.mkString("\n")

    protected def tell(event: String): Unit = events :+= event

    protected def took(cluster: String, number: Int, from: Long, until: Long): Unit = if (until > from) {
      tell(s"read $cluster $number $from-$until")
      read = read.updatedWith(kafkaOf(cluster) -> number)(was => Some(was.getOrElse(Vector.empty) :+ (from -> until)))
    }

    protected def one(of: ListedCluster): ListedCluster =
      of.copy(connection = Right(new ConnectionSettings(Map("v" -> version.toString))))

    protected def listing: Topology = {
      if (chance.nextInt(3) == 0) version += 1
      val us = chance.nextInt(6) match {
        case 0 => Vector.empty
        case 1 => Vector("us" -> topics())
        case 2 => Vector("us" -> topics("orders").paused)
        case 3 => Vector("us" -> topics("orders").inactive)
        case _ => Vector("us" -> topics("orders"))
      }
      val eu = chance.nextInt(8) match {
        case 0     => Vector.empty
        case 1     => Vector("eu" -> topics())
        case 2 | 3 => Vector("eu2" -> topics("orders").continuing("eu"))
        case 4     => Vector("eu2" -> topics("orders").continuing("eu"), "eu" -> topics("orders"))
        case 5     => Vector("eu" -> topics("orders").pausing("orders"))
        case _     => Vector("eu" -> topics("orders"))
      }
      listed((eu ++ us).map { case (id, all) => id -> one(all) }: _*)
    }

    protected def fetched(to: Topology): Unit = {
      topology = to
      tell("lists " + to.clusters.map { case (id, one) =>
        s"$id${one.topics.keys.mkString("(", ",", ")")}${if (one.active) "" else "!"}${one.pause}"
      }.mkString(" "))
      poller.after(CallOrder.next(), JavaDuration.ofSeconds(10)): Unit
    }

    /** Both clusters are listed, and answer at once. What was asked before is answered. */
    protected def healed(): Unit = {
      fetched(listed("eu" -> one(topics("orders")), "us" -> one(topics("orders"))))
      kafka.settles()
      kafka.calm = true
      tell("recovers")
    }

    /** Reads on until nothing is missing, for a minute at most. */
    protected def untilRight(reads: => Unit): Unit = {
      val end = System.nanoTime + TimeUnit.MINUTES.toNanos(1)
      while (wrong.isDefined && System.nanoTime < end) { reads; Thread.sleep(10) }
    }
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
