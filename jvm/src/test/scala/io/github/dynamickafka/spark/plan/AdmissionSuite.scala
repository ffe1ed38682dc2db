package io.github.dynamickafka.spark.plan

import java.time.{Duration, Instant}

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Offsets.{id, offset}
import io.github.dynamickafka.spark.ids.PartitionId
import io.github.dynamickafka.spark.offsets.PartitionOffset

class AdmissionSuite extends FunSuite {
  private val begin = Instant.ofEpochSecond(1000)
  private val eu    = id("eu", "orders", 0)
  private val us    = id("us", "orders", 0)
  private val held  = offset(eu -> PartitionOffset(0, 100, 0), us -> PartitionOffset(0, 200, 0))
  private val ten   = ReadLimits(None, Some(Least(10, Duration.ofMinutes(15))), aligned = true)

  private def ahead(more: (PartitionId, Long)*): Map[PartitionId, Long] =
    more.map { case (id, count) => id -> (held.get(id).fold(0L)(_.next) + count) }.toMap

  private def waits(at: Duration, allowed: ReadLimits)(more: (PartitionId, Long)*): Boolean =
    Admission(begin).waits(held, ahead(more: _*), allowed, begin.plus(at))

  test("too little waits, counted over all clusters together") {
    assert(waits(Duration.ofSeconds(1), ten)(eu -> 4, us -> 5))
    assert(!waits(Duration.ofSeconds(1), ten)(eu -> 5, us -> 5))
  }

  test("too little waits no longer than its patience since the run began") {
    assert(waits(Duration.ofSeconds(899), ten)(eu -> 1))
    assert(!waits(Duration.ofSeconds(900), ten)(eu -> 1))
  }

  test("a clock that is set back lets nothing wait longer") {
    assert(!waits(Duration.ofHours(-1), ten)(eu -> 1))
  }

  test("patience begins anew with each batch that reads records, and with no other") {
    val later = begin.plus(Duration.ofMinutes(20))
    assertEquals(Admission(begin).after(Map.empty, None, later).since, begin)
    val read = Admission(begin).after(ahead(eu -> 1), None, later)
    assert(read.waits(held, ahead(us -> 1), ten, later.plusSeconds(1)))
  }

  test("nothing waits where no least is set, or the run waits for nothing") {
    assert(!waits(Duration.ZERO, ReadLimits.everything)(eu -> 1))
    assert(!waits(Duration.ZERO, ten.eager)(eu -> 1))
  }

  test("a backlog that no number of 64 bits holds does not wait") {
    assert(!waits(Duration.ZERO, ten)(eu -> (Long.MaxValue - 200), us -> (Long.MaxValue - 200)))
  }

  test("without a most all is read up to its end; what ends where it stands is not read") {
    assertEquals(Admission(begin).shared(held, ahead(eu -> 7, us -> 0), None), ahead(eu -> 7))
  }

  test("one limit is shared over all clusters") {
    assertEquals(Admission(begin).shared(held, ahead(eu -> 30, us -> 10), Some(8)), ahead(eu -> 6, us -> 2))
  }

  test("a limit smaller than the number of partitions reaches them in turn") {
    val first = Admission(begin)
    val moves = first.shared(held, ahead(eu -> 3, us -> 3), Some(1))
    assertEquals(moves, ahead(eu -> 1))
    assertEquals(first.after(moves, Some(1), begin).shared(held, ahead(eu -> 3, us -> 3), Some(1)), ahead(us -> 1))
  }

  test("a batch that reads of all keeps whose turn it is") {
    val waits = Admission(begin, Some(eu)).after(ahead(eu -> 2, us -> 1), Some(3), begin)
    assertEquals(waits.shared(held, ahead(eu -> 3, us -> 3), Some(1)), ahead(us -> 1))
  }
}
