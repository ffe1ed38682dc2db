package io.github.dynamickafka.spark.realtime

import scala.collection.immutable.SortedMap
import scala.collection.mutable
import scala.util.Random

import io.github.dynamickafka.spark.fakes.Offsets
import io.github.dynamickafka.spark.fakes.Offsets.id
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.{Begun, BegunJson, OffsetJson, PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.plan.{OffsetRange, OffsetRanges}

/** One random run of a query in Real-Time Mode, with micro-batches in between, and of drivers and tasks that fail at any step.
  * Partitions come while it runs, each from its newest record on, and topics are created again. What is kept, the batch,
  * its tasks and the offsets are the product's own.
  *
  * A table keeps the rows of each batch by its number: a batch that runs again replaces what it had. Another sink gets each
  * row at once. In the end the table has each record once, from the first on that the sink ever got of a log.
  */
final private[realtime] class RealTimeSchedule(seed: Long, traced: Boolean = false) {
  import RealTimeSchedule._

  private val random                   = new Random(seed)
  private def chance(in: Int): Boolean = random.nextInt(in) == 0
  private def one[A](of: Vector[A]): A = of(random.nextInt(of.size))
  private val rough                    = 3 + random.nextInt(12)
  private val asynchronous             = chance(3)
  private val copies                   = chance(3)

  // What outlives everything: logs by partition and incarnation, both logs of Spark, the file, the sinks.
  private val ends    = mutable.Map(Partitions.map(_ -> random.nextInt(3).toLong): _*)
  private val version = mutable.Map(Partitions.map(_ -> 0): _*)
  private val listed  = mutable.Set(Partitions.head)
  private val logged  = mutable.ArrayBuffer.empty[SourceOffset]
  private var commits = 0
  private var file    = Option.empty[String]
  private val table   = mutable.Map.empty[Int, Vector[Row]]
  private val sink    = mutable.Set.empty[Row]
  private var healed  = false
  val trace           = mutable.ArrayBuffer.empty[String]

  private def note(text: => String): Unit = if (traced) trace += text

  private def crash(when: String): Unit = if (!healed && chance(rough * 6)) throw End(s"killed $when")

  /** What is wrong at the end, if anything is. */
  def run(): Option[String] = {
    for (start <- 0 until 14) {
      healed = start > 11
      try if (chance(4)) microBatches() else realTime()
      catch { case end: End => note(end.why) }
    }
    verdict
  }

  private def verdict: Option[String] = {
    val rows   = table.toVector.filter(_._1 < commits).flatMap(_._2)
    val twice  = rows.diff(rows.distinct).headOption.map(row => s"the table has $row twice")
    val firsts = sink.toVector.groupMapReduce(row => row.id -> row.version)(_.offset)(Math.min(_, _))
    val lacks  = for {
      ((id, version), first) <- firsts.iterator if version == this.version(id)
      offset                 <- first until ends(id) if !rows.contains(Row(id, version, offset))
    } yield s"the table lacks ${Row(id, version, offset)}, and has got it from $first on"
    twice.orElse(lacks.nextOption())
  }

  private def committed: SourceOffset = if (commits == 0) SourceOffset.initial else logged(commits - 1)

  private def write(begun: Begun): Unit = {
    crash("before a beginning is written")
    file = Some(BegunJson.write(begun))
    crash("after a beginning was written")
  }

  private def grow(): Unit = {
    val log = one(Partitions)
    if (!healed) ends(log) += random.nextInt(2)
    if (!healed && chance(12)) { listed += one(Partitions): Unit }
  }

  // All records of its old log are gone.
  private def createAgain(): Unit = if (!healed && chance(8)) {
    val log = one(Partitions)
    version(log) += 1
    ends(log) = random.nextInt(2).toLong
    note(s"$log is created again")
  }

  /** What begins: as the reconciler says it. */
  private def step(held: SourceOffset): SourceOffset = {
    val known = held.partitions.toMap
    val now   = Partitions.filter(listed).map { log =>
      log -> (known.get(log) match {
        case None                                      => PartitionOffset(ends(log), ends(log), version(log))
        case Some(at) if at.incarnation < version(log) => PartitionOffset(0, 0, version(log))
        case Some(at)                                  => at
      })
    }
    Offsets.offset(now: _*)
  }

  private def realTime(): Unit = {
    if (logged.size > commits) {
      if (!file.exists(BegunJson.read(_, "").realTime)) {
        note("a micro-batch is left over: refused")
        return microBatches()
      }
      if (logged.size - commits > 1) note(s"goes back over ${logged.size - commits} batches")
      logged.takeInPlace(commits)
    }
    var kept  = Beginnings(file.map(BegunJson.read(_, "")))
    var start = committed
    var first = true
    note(s"real time from ${text(start)}")
    for (number <- commits until commits + 1 + random.nextInt(4)) {
      createAgain()
      // As the driver does: once it has taken a step it knows what it holds.
      val begun = step(if (first) kept.held(start) else start)
      first = false
      val next = kept.begins(start, begun)
      if (next.write.isDefined) awaitCommit()
      next.write.foreach(write)
      kept = next.now
      note(s"batch $number begins ${text(begun)}${if (next.write.isDefined) ", written" else ""}")
      start = new Run(number, begun).end()
      // As Spark's log does: as text.
      start = OffsetJson.read(OffsetJson.write(start))
      crash("before its end is logged")
      logged += start
      crash("after its end was logged")
      while (commits < logged.size && (!asynchronous || healed || chance(2))) commits += 1
      crash("after a commit")
    }
    if (healed) commits = logged.size
  }

  // Spark commits in the background.
  private def awaitCommit(): Unit = {
    if (commits < logged.size) {
      crash("while a beginning waits for a commit")
      note("a beginning has waited for a commit")
    }
    commits = logged.size
  }

  /** The running batch and its attempts. */
  final private class Run(number: Int, begun: SourceOffset) {
    private val ranges = begun.partitions.map { case (id, at) =>
      OffsetRange(id, at.next, Long.MaxValue, begun.topic(id.cluster, id.topic).get.stream)
    }.toVector.sortBy(_.id)
    private val tasks = RealTimeTasks.of(ranges, 1 + random.nextInt(3))
    private var batch = RealTimeBatch(0, begun, ranges, copies = copies)
    private var made  = 0L
    // What attempts have said last that Spark gave up. They may live on.
    private val ghosts = mutable.ArrayBuffer.empty[RealTimeReport]

    def end(): SourceOffset = {
      val rows = tasks.flatMap(task => attempts(task, left = 4))
      if (batch.open.nonEmpty) throw End(s"no task has ended ${batch.open}")
      table(number) = rows
      val end     = batch.end
      val between = OffsetRanges.between(begun, end).flatMap(range =>
        (range.from until range.until).map(Row(range.id, begun.get(range.id).get.incarnation, _))
      )
      if (between.toSet != rows.toSet)
        throw new AssertionError(s"seed $seed: read $rows, between the offsets lies $between")
      end
    }

    private def attempts(task: Vector[Int], left: Int): Vector[Row] = {
      if (left == 0) throw End("too many attempts")
      attempt(task, if (left < 4) batch.known(task) else Map.empty) match {
        case Some(rows) if healed || !chance(rough) => rows
        // It had ended, and its sink fails.
        case _ => attempts(task, left - 1)
      }
    }

    // Its rows, if it comes to an end.
    private def attempt(task: Vector[Int], first: Map[Int, Long]): Option[Vector[Row]] = {
      val next  = mutable.Map(task.map(range => range -> ranges(range).from): _*)
      var until = first
      var rows  = Vector.empty[Row]
      made += 1
      val number = made
      def report = RealTimeReport(task.map(range => TakenPart(range, next(range))), attempt = number)
      // After the batch's time Spark asks a task for no row.
      val late   = !healed && chance(6)
      var steps  = 0
      def over() = { ghosts += report; None }
      while (steps < 100) {
        steps += 1
        grow()
        crash("while tasks run")
        haunt()
        if (!healed && chance(rough * 3)) return over()
        val readable =
          task.filter(range => next(range) < Math.min(until.getOrElse(range, Long.MaxValue), ends(ranges(range).id)))
        if (readable.nonEmpty && !late && !chance(5)) {
          val range = one(readable)
          val row   = Row(ranges(range).id, begun.get(ranges(range).id).get.incarnation, next(range))
          next(range) += 1
          rows :+= row
          sink += row
          if (chance(2)) {
            val (now, answer) = batch.says(report)
            batch = now
            if (answer == RealTimeAnswer.RunsAgain) return over()
          }
        } else if (readable.isEmpty || !healed) {
          val (now, answer) = batch.ended(report)
          batch = now
          note(s"$report => $answer")
          answer match {
            // The answer is lost: it asks again.
            case _ if !healed && chance(rough)        => ()
            case RealTimeAnswer.ReadsOn(all) if !late => until = all
            case RealTimeAnswer.Ends                  => return Some(rows)
            case _                                    => return over()
          }
        }
      }
      throw End("an attempt does not end")
    }

    private def haunt(): Unit =
      if (ghosts.nonEmpty && !copies && chance(4)) {
        val ghost = one(ghosts.toVector)
        batch = (if (chance(2)) batch.says(ghost) else batch.ended(ghost))._1
        note(s"an earlier attempt says $ghost")
      }
  }

  private def microBatches(): Unit = {
    var kept = Beginnings(file.map(BegunJson.read(_, "")))
    note(s"micro-batches from ${text(committed)}, ${logged.size - commits} left over")
    // With several uncommitted ones, Spark runs from the last committed to the last logged one.
    if (logged.size > commits) micro(logged.size - 1)
    for (_ <- 0 to random.nextInt(3)) {
      createAgain()
      val begun = step(kept.held(committed))
      val end   =
        begun.moved(begun.partitions.collect { case (id, at) if ends(id) > at.next => id -> ends(id) }.toMap)
      val next = kept.leaves(committed, end, back = false)
      next.write.foreach(write)
      kept = next.now
      logged += end
      crash("after a micro-batch was logged")
      micro(logged.size - 1)
    }
  }

  private def micro(number: Int): Unit = {
    val end = logged(number)
    // What a new topic of the same name has is other data: the product fails or leaves it out.
    table(number) = OffsetRanges.between(committed, end).flatMap { range =>
      (range.from until range.until).map(Row(range.id, end.get(range.id).get.incarnation, _))
    }
    sink ++= table(number)
    (commits until number).foreach(table -= _)
    crash("while a micro-batch runs")
    commits = number + 1
  }
}

private object RealTimeSchedule {
  val Partitions: Vector[PartitionId] = Vector(id("a", "t", 0), id("a", "t", 1), id("b", "t", 0), id("c", "u", 0))

  final case class Row(id: PartitionId, version: Int, offset: Long)

  final case class End(why: String) extends RuntimeException(why, null, false, false)

  def text(offset: SourceOffset): String = SortedMap.from(offset.partitions).map { case (id, at) =>
    s"$id:[${at.start},${at.next},${at.incarnation}]"
  }.mkString(" ")
}
