package io.github.dynamickafka.spark.read

import java.util.concurrent.atomic.AtomicReference

import munit.ScalaCheckSuite
import org.apache.kafka.common.TopicPartition
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.read.FetchBudget.{Held, Limits}
import io.github.dynamickafka.spark.read.FetchWindow.Place

/** Many tasks on one budget. What idle consumers hold, and how they let go of it, is in `ExecutorBudgetSuite`. */
class FetchBudgetSuite extends ScalaCheckSuite {
  private class Executor(limit: Long, task: Long = Long.MaxValue) {
    val budget = new AtomicReference(FetchBudget())
    var letGo  = Vector.empty[Long]

    def share(limit: Long = limit): FetchShare = new FetchShare(
      budget,
      Limits(task, limit),
      bytes => {
        letGo :+= bytes
        budget.updateAndGet(now => now.copy(idle = now.idle - bytes)): Unit
      }
    )

    def window(count: Int, bytes: Long): FetchWindow =
      FetchWindow.of(
        share(),
        Seq(Vector.tabulate(count)(n => Place(ClusterId("eu"), new TopicPartition("orders", n), bytes)))
      )

    def idle(bytes: Long): Unit = budget.updateAndGet(_.copy(idle = bytes)): Unit

    def now: FetchBudget = budget.get
  }

  test("one task alone has four fifths, or its own limit if that is lower") {
    assertEquals(new Executor(100).window(9, 10).opened().size, 8)
    assertEquals(new Executor(100, task = 60).window(9, 10).opened().size, 6)
  }

  test("a task that finds no room fetches one partition, and more once another task ends") {
    val executor = new Executor(100)
    val windows  = Vector.fill(3)(executor.window(9, 30))
    assertEquals(windows.map(_.opened().size), Vector(2, 1, 1))
    assertEquals(executor.now, FetchBudget(taken = 120))
    assertEquals(windows.last.opened().size, 0)
    windows.take(2).foreach(_.close())
    assertEquals(windows.last.opened().size, 1)
    windows.last.close()
    assertEquals(executor.now, FetchBudget())
  }

  test("what is larger than the whole budget is fetched all the same, alone") {
    val executor = new Executor(100)
    val window   = executor.window(2, 1000)
    assertEquals((window.opened().size, window.opened().size), (1, 0))
    assert(!window.ended(1000, before = 0, after = 0))
    assertEquals((window.opened().size, executor.now), (1, FetchBudget(taken = 1000)))
  }

  test("each task gets its part: one that began earlier leaves what it has read to others") {
    val executor = new Executor(1000)
    val windows  = Vector.fill(4)(executor.window(500, 2))
    val begun    = windows.map(_.opened().size)
    assertEquals(begun, Vector(400, 80, 16, 3))
    // All of them read on, one partition at a time.
    val open = Iterator.iterate(begun) { open =>
      windows.zip(open).map { case (window, now) =>
        assert(!window.ended(2, before = 0, after = 0))
        now - 1 + window.opened().size
      }
    }
    assertEquals(open.drop(300).next(), Vector(119, 117, 117, 117), "an n-th would be 125")
  }

  test("a task has what others do not use") {
    val executor = new Executor(1000)
    Vector.fill(15)(executor.window(1, 2)).foreach(_.opened())
    assertEquals(executor.window(500, 2).opened().size, 388)
  }

  test("what is idle makes room for what is fetched, as far as it must, and not for what is kept") {
    val executor = new Executor(100)
    val share    = executor.share()
    executor.idle(70)
    assert(share.fetches(30) && share.fetches(20))
    assertEquals((executor.letGo, executor.now), (Vector(20L), FetchBudget(taken = 50, idle = 50)))
    assert(!share.keeps(1))
    assert(!share.fetches(31), "more than four times what then is free")
    assertEquals(executor.now.idle, 50L, "in vain nothing is let go of")
    share.fetchesAnyway(60)
    assertEquals(executor.now, FetchBudget(taken = 110))
  }

  test("what was kept for a task may stay where a task may keep nothing more, as far as its own limit allows") {
    val executor = new Executor(100, task = 60)
    executor.idle(50)
    val (one, other) = (executor.share(), executor.share())
    assert(one.fetches(30) && other.fetches(10))
    // Each borrows a part of what is idle.
    executor.idle(30)
    assert(!one.keeps(20) && one.carries(20))
    executor.idle(0)
    assert(other.carries(30))
    one.returns(fetched = 0, kept = 20)
    assert(!other.carries(21), "its own limit")
    other.fetchesAnyway(20)
    assert(!one.carries(20), "another one has taken the room by now")
  }

  test("a task of a query with another limit goes by its own, and counts what all hold") {
    val executor = new Executor(100)
    assert(executor.share().fetches(50))
    assert(!executor.share(50).fetches(1) && executor.share(200).fetches(100))
  }

  test("without an option it is 40 % of the heap") {
    assertEquals(FetchBudget.ofHeap(10L << 30), 4L << 30)
    assert(FetchBudget.ofHeap(Long.MaxValue) > 0)
  }

  // A task: its window, what it has open, and what it keeps.
  private case class Task(window: FetchWindow, open: Int = 0, done: Int = 0, closed: Boolean = false)

  property("many tasks hold no more than the limit and a partition each, all of them end, and nothing is left") {
    val count = 12
    val bytes = 10L
    val cases = Gen.zip(Gen.choose(1L, 400L), Gen.choose(1, 6), Gen.infiniteLazyList(Gen.choose(0, 9999)))
    // To shrink endless choices would take for ever.
    forAllNoShrink(cases) { case (limit, tasks, picks) =>
      val executor                          = new Executor(limit)
      def bounded()                         = assert(executor.now.held <= limit + tasks * bytes, executor.now)
      def step(task: Task, pick: Int): Task = {
        val now = task.copy(open = task.open + task.window.opened().size)
        assert(now.open > 0, "a task that is not over can always go on")
        bounded()
        if (pick % 97 == 0) {
          // It fails, or Spark stops it.
          task.window.close()
          task.copy(closed = true)
        } else {
          now.window.ended(bytes, before = 0, (pick % 5) * bytes): Unit
          bounded()
          val next = now.copy(open = now.open - 1, done = now.done + 1)
          if (next.done == count) next.window.close()
          next.copy(closed = next.done == count)
        }
      }
      @annotation.tailrec
      def run(all: Vector[Task], picks: LazyList[Int]): Unit = {
        val live = all.indices.filterNot(all(_).closed)
        if (live.nonEmpty) {
          val turn = live(picks.head % live.size)
          run(all.updated(turn, step(all(turn), picks.tail.head)), picks.drop(2))
        }
      }
      run(Vector.fill(tasks)(Task(executor.window(count, bytes))), picks)
      assertEquals(executor.now, FetchBudget())
    }
  }

  test("threads that take and return at the same time lose nothing") {
    val executor = new Executor(1000)
    val threads  = Vector.tabulate(4)(n =>
      new Thread(() =>
        (1 to 5000).foreach { _ =>
          val share = executor.share()
          share.fetchesAnyway(n + 1L)
          if (share.keeps(5)) share.returns(fetched = 1, kept = 2)
          share.close()
        }
      )
    )
    threads.foreach(_.start())
    threads.foreach(_.join())
    assertEquals(executor.now, FetchBudget())
  }

  test("what a share has returned it returns once") {
    val executor = new Executor(100)
    val share    = executor.share()
    assert(share.fetches(30) && share.keeps(20))
    share.returns(fetched = 30, kept = 5)
    assertEquals(share.held, Held(kept = 15))
    share.close()
    share.close()
    assertEquals(executor.now, FetchBudget())
  }
}
