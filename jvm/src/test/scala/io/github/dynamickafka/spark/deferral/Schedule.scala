package io.github.dynamickafka.spark.deferral

import scala.collection.mutable
import scala.util.Random

import io.github.dynamickafka.spark.ids.PartitionMap
import io.github.dynamickafka.spark.offsets.{PartitionOffset, SourceOffset}
import io.github.dynamickafka.spark.plan.{DeferredRanges, OffsetRange, OffsetRanges}

/** One random run of a query under `unreadableRangePolicy=defer`, and a driver, executors, clusters and two tables that
  * fail at any step. Each batch is written into both tables, one after the other, by batch id: a table that has a batch
  * skips it. The offsets, the decisions and what is read between them are the product's own.
  *
  * Logs are cut off, and `failOnDataLoss` is false. All clusters are well at the end. Then each table has each record
  * once. Only one thing may put a record there twice: the driver was killed when a table had its batch already.
  */
final private[deferral] class Schedule(seed: Long, traced: Boolean = false) {
  import ScheduleWorld._

  private val random                   = new Random(seed)
  private def chance(in: Int): Boolean = random.nextInt(in) == 0
  private def one[A](of: Vector[A]): A = of(random.nextInt(of.size))
  private val rough                    = 3 + random.nextInt(12)
  private val maxAttempts              = if (chance(2)) 1 else 4

  // What outlives everything.
  private val log       = mutable.ArrayBuffer.empty[SourceOffset]
  private var commits   = 0
  private val decisions = new ScheduleDecisions(note(_))
  private val tables    = Vector.fill(2)(mutable.Map.empty[Int, Vector[Row]])
  private var mayRepeat = Set.empty[Int]
  // What actions took that wanted some rows of a batch alone.
  private val some = mutable.Map.empty[Int, Set[Row]].withDefaultValue(Set.empty)

  private val logs   = new ScheduleLogs
  private val alive  = mutable.Map.from(Clusters.map(_ -> true))
  private var now    = 0L
  private var healed = false
  private var steps  = 0
  val trace          = mutable.ArrayBuffer.empty[String]

  private def note(text: => String): Unit = if (traced) trace += text

  /** What is wrong at the end, if anything is. From the tenth start on nothing fails any more. */
  def run(): Option[String] = {
    for (number <- 0 until 30 if !finished) {
      if (number == 10) { healed = true; Clusters.foreach(alive(_) = true) }
      try start()
      catch { case end: End => note(end.toString) }
    }
    if (steps > MostSteps) Some("it does not end") else verdict
  }

  private def end: SourceOffset = log.lastOption.getOrElse(begin)
  private def finished: Boolean = commits == log.size && log.nonEmpty && decisions.all.of(end).isEmpty &&
    end.partitions.forall(_._2.next == Records) && (logs.proven(end) eq end)

  private def verdict: Option[String] = {
    val written = tables.map(_.toMap)
    written.iterator.flatMap(wrong(_, logs.records, mayRepeat)).nextOption().orElse(lacks(
      written,
      some.toMap,
      logs.records
    ))
  }

  private def crash(what: String): Unit = if (!healed && chance(rough * 8)) {
    // The driver does not know what a table has.
    if (log.size > commits && tables.exists(_.contains(log.size - 1))) mayRepeat += log.size - 1
    if (log.size > commits) some -= log.size - 1
    throw End(s"killed $what")
  }

  private def begin: SourceOffset = offset(Partitions.map(_ -> PartitionOffset(0, 0, 0, Some(0))).toMap)

  private def start(): Unit = {
    if (log.size > commits) batch(uncommitted = true)
    while (!finished) {
      weather()
      crash("before a batch is logged")
      val held = logs.proven(decisions.all.rewind(end, (_, _) => false, java.time.Instant.EPOCH))
      // A look that is old by now: a cluster may have died since then.
      val moves = Partitions.flatMap { id =>
        val at = held.get(id).get.next
        Option.when(at < Records && (healed || alive(id.cluster) || chance(4)))(id -> Math.min(
          Records,
          at + 1 + random.nextInt(3)
        ))
      }.toMap
      if (moves.nonEmpty || (held ne end)) {
        log += held.moved(moves, PartitionMap.from(moves.keys.map(id => id -> logs.epoch(id))))
        note(s"batch ${log.size - 1} ends at ${text(end)}")
        crash("after a batch was logged")
        batch(uncommitted = false)
      }
    }
  }

  private def batch(uncommitted: Boolean): Unit = {
    val number                       = log.size - 1
    val from                         = if (number == 0) begin else log(number - 1)
    def planned: Vector[OffsetRange] = DeferredRanges.left(OffsetRanges.between(from, end), end, decisions.all)
    if (uncommitted) giveBackBefore(planned)
    val ranges = planned
    var ends   =
      BatchEnds(ranges.map(range => PlannedRange(range.id.cluster, range.until, decisions.all.floor(range.id, end))))
    note(s"batch $number reads ${ranges.map(r => s"${r.id.partition}:${r.from}-${r.until}").mkString(" ")}")
    // Two ranges of one cluster are in different tasks, and a task has ranges of both clusters.
    val tasks = ranges.indices.toVector.groupBy(_ % 2).values.toVector

    def write(decide: => Unit): Unit = {
      crash("before a decision is durable")
      decide
      crash("after a decision is durable")
    }

    def ask(report: TaskReport): Verdict = {
      val answer = ends.answer(report, now, Limit, _ => true)
      answer.decision.foreach {
        case Decision.GivesBack(from) =>
          write(decisions.defer(from.toVector.map { case (index, at) => ranges(index).copy(from = at) }, end))
        case Decision.Keeps =>
          ends = answer.next
          write(decisions.keep(ranges, ends, end))
      }
      val cuts = answer.next.cut.filterNot { case (index, at) => ends.cut.get(index).contains(at) }
      if (cuts.nonEmpty) write {
        decisions.cutOff(cuts.map { case (index, at) => ranges(index) -> at }, end)
        cuts.keys.foreach(index => logs.knows(ranges(index).id))
      }
      ends = answer.next
      note(s"$report => ${answer.verdict}")
      answer.verdict
    }

    (if (chance(3)) -1 +: tables.indices else tables.indices).foreach { table =>
      new Action(ranges, tasks, ask, some => ends.atMost(some), partial = table < 0).run() match {
        case Right(rows) if table < 0 => some(number) ++= rows
        case Right(rows)              =>
          if (!tables(table).contains(number)) tables(table)(number) = rows
          note(s"table $table has batch $number")
        case Left(why) =>
          decisions.keep(ranges, ends, end)
          throw End(why)
      }
      crash("between two tables")
      if (!healed && chance(rough * 10)) {
        // The user's function fails. The source is closed in an orderly way.
        decisions.keep(ranges, ends, end)
        throw End("the user's function failed")
      }
    }
    commits = log.size
    crash("after a batch was committed")
    if (chance(2)) decisions.committed(end)
  }

  // What a batch of an earlier start can't read now. What was taken of it stays.
  private def giveBackBefore(ranges: Vector[OffsetRange]): Unit = {
    weather()
    crash("before an uncommitted decision")
    val back = ranges.filter(range => !alive(range.id.cluster) && decisions.all.floor(range.id, end) <= range.from)
    if (back.nonEmpty) decisions.defer(back, end)
  }

  private def weather(): Unit = {
    steps += 1
    if (steps > MostSteps) throw End("it does not end")
    now += random.nextInt(4)
    if (!healed && chance(rough)) {
      val id = one(Clusters)
      alive(id) = !alive(id)
      note(s"$id is ${if (alive(id)) "well" else "down"} at $now")
    }
    if (!healed && chance(rough * 12)) note(logs.cut(random))
  }

  /** One action of the user's function: it reads each range of the batch, by tasks that are tried again. */
  final private class Action(
      ranges: Vector[OffsetRange],
      tasks: Vector[Vector[Int]],
      ask: TaskReport => Verdict,
      known: Iterable[Int] => Map[Int, Long],
      partial: Boolean
  ) {
    private val running  = mutable.ArrayBuffer.empty[Attempt]
    private val done     = mutable.Map.empty[Int, Attempt]
    private val failures = mutable.Map.empty[Int, Int].withDefaultValue(0)

    def run(): Either[String, Vector[Row]] = {
      tasks.indices.foreach(begin(_, again = false))
      while (done.size < tasks.size) {
        weather()
        crash("while tasks run")
        if (running.isEmpty) return Left("no attempt is left")
        val attempt = one(running.toVector)
        attempt.step() match {
          case Some(_) if attempt.lost => running -= attempt: Unit
          case Some(why)               =>
            running -= attempt
            failures(attempt.task) += 1
            if (failures(attempt.task) >= maxAttempts) return Left(why)
            begin(attempt.task, again = true)
          case None if attempt.ended =>
            running -= attempt
            // It may still fail, or its executor is lost: then its result does not count, and another attempt runs.
            if (attempt.lost) ()
            else if (!healed && maxAttempts > 1 && chance(rough)) begin(attempt.task, again = true)
            else done.getOrElseUpdate(attempt.task, attempt): Unit
          case None =>
            if (!healed && maxAttempts > 1 && chance(rough * 4)) lose(attempt)
            else if (!healed && maxAttempts > 1 && chance(rough * 4)) begin(attempt.task, again = false)
        }
      }
      Right(done.values.toVector.flatMap(_.rows))
    }

    // Its executor counts as lost, and goes on. Its messages are refused; the driver may learn of it late.
    private def lose(attempt: Attempt): Unit = if (!attempt.lost) {
      attempt.lost = true
      begin(attempt.task, again = true)
    }

    private def begin(task: Int, again: Boolean): Unit = if (!done.contains(task)) {
      running += new Attempt(task, if (again || maxAttempts == 1) known(tasks(task)) else Map.empty)
    }

    final private class Attempt(val task: Int, first: Map[Int, Long]) {
      private val next  = mutable.Map.from(tasks(task).map(index => index -> ranges(index).from))
      private val taken = mutable.Map.empty[Int, Long]
      private val read  = mutable.ArrayBuffer.empty[Row]
      private val cuts  = mutable.Map.empty[Int, Long]
      private val began = now
      private var ends  = first
      private var again = 0L
      var ended         = false
      var lost          = false

      def rows: Vector[Row] = read.toVector

      private def until(index: Int): Long =
        if (cuts.contains(index)) next(index) else ends.getOrElse(index, ranges(index).until)

      /** Why it fails, if it does. */
      def step(): Option[String] = {
        val open = tasks(task).filter(index => next(index) < until(index))
        if (!healed && chance(rough * 6)) Some("the task failed")
        else if (open.isEmpty) tell(open)
        else if (partial && taken.nonEmpty && chance(3)) close()
        else {
          val index = one(open)
          if (alive(ranges(index).id.cluster)) {
            logs.gone(ranges(index)).filter(_ <= next(index)) match {
              case Some(at) => cuts(index) = at
              case None     =>
                read += logs.record(ranges(index).id, next(index))
                next(index) += 1
            }
            taken(index) = now
            None
          } else if (now >= again && chance(2)) tell(open)
          else None
        }
      }

      private def close(): Option[String] =
        tell(TaskReport(
          taken.keys.toVector.map(index => TakenRange(index, next(index), cut = cuts.get(index))),
          partial = true
        ))

      private def tell(open: Vector[Int]): Option[String] = tell(TaskReport(
        tasks(task).map { index =>
          val still = Option.when(open.contains(index) && !alive(ranges(index).id.cluster)) {
            Standstill(now - taken.getOrElse(index, began), taken.contains(index))
          }
          TakenRange(index, next(index), still, cuts.get(index))
        }
      ))

      private def tell(report: TaskReport): Option[String] =
        // The driver knows by now that the executor is lost, or not yet.
        if (lost && chance(2)) Some("refused")
        else {
          val verdict = ask(report)
          // The answer does not arrive. It asks once more.
          if (!healed && chance(rough * 4)) None
          else verdict match {
            case Verdict.Ends =>
              ended = true
              None
            case Verdict.ReadsOn(all)   => ends = all; None
            case Verdict.Waits(millis)  => again = now + Math.min(millis, 3); None
            case _: Verdict.RunsAgain   => Some("took more than the batch reads")
            case Verdict.Fails(waiting) => Some(s"can't read $waiting")
          }
        }
    }
  }
}
