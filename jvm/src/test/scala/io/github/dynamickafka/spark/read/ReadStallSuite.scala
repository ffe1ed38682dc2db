package io.github.dynamickafka.spark.read

import java.time.Duration

import munit.FunSuite

class ReadStallSuite extends FunSuite {
  private def seconds(count: Long): Long = Duration.ofSeconds(count).toNanos

  private val limit = seconds(120)

  private val (first, second) = (new IllegalStateException("first"), new IllegalStateException("second"))

  test("silence lasts since a partition came further, and its failures are forgotten then") {
    val silent = ReadStall().failed(first)
    assertEquals(silent.lasts(now = 7), 7L)
    assertEquals((silent.broken(now = 5).lasts(now = 7), silent.broken(now = 5).cause), (2L, None))
  }

  test("the time in which nothing was fetched is no silence, and a failure before it is remembered") {
    val silent = ReadStall().failed(first).begun(now = 5)
    assertEquals((silent.lasts(now = 7), silent.cause), (2L, Some(first)))
  }

  test("the last failure is the cause, unless it only repeats what is known") {
    assertEquals(ReadStall().failed(first).failed(second).cause, Some(second))
    assertEquals(ReadStall().failed(first).failedStill(second).cause, Some(first))
    assertEquals(ReadStall().failedStill(second).cause, Some(second))
  }

  test("a question is waited for longer after each one without an answer, up to 8 s, and never beyond the silence") {
    val patience = Iterator.iterate(ReadStall())(_.noAnswer(asked = 0, now = 0)).map(_.patience(now = 0, limit))
    assertEquals(patience.take(6).map(_.toSeconds).toList, List[Long](1, 2, 4, 8, 8, 8))
    assertEquals(ReadStall().patience(now = limit - 5, limit), Duration.ofNanos(5))
    assertEquals(ReadStall().patience(now = limit + 5, limit), Duration.ZERO)
    assertEquals(ReadStall(unanswered = 3).answered.patience(now = 0, limit), Duration.ofSeconds(1))
  }

  test("what stands still is compared with the logs after two seconds, and then after twice as long each time") {
    val looks = Iterator.iterate(ReadStall())(_.compared)
      .map(stall => (0 to 40).find(second => stall.suspicious(seconds(second.toLong))))
    assertEquals(looks.take(5).flatten.toList, List(2, 4, 8, 16, 32))
    assert(ReadStall().compared.compared.broken(seconds(10)).suspicious(seconds(12)))
    assert(!ReadStall().noAnswer(asked = 0, now = seconds(2)).suspicious(seconds(3)), "the others come first")
  }

  test("after a question without an answer the others get four times as long as it took") {
    val silent = ReadStall().noAnswer(asked = seconds(10), now = seconds(12))
    assert(!silent.mayAsk(seconds(20) - 1))
    assert(silent.mayAsk(seconds(20)))
    assert(ReadStall().mayAsk(now = 0))
  }
}
