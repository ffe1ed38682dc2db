package io.github.dynamickafka.spark.reconcile

import java.time.Duration

import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.topology.Topology

/** A query that has read a cluster under one id, and how the cluster gets another. */
trait Renames {
  protected def kafka(extents: (Int, Int)*) = answer("orders" -> has(extents: _*).of("T1")).of("K1")

  protected val orders = topics("orders")

  protected def only(id: String): Topology              = listed(id -> orders)
  protected def at(id: String, start: String): Topology = listed(id -> orders.startingAt(start))
  protected def end(number: Int, partitions: Int = 1)   =
    Seq("eu", "europe").map(_ -> kafka(Seq.fill(partitions)(0 -> number): _*))

  protected val query = Query(fromEarliest).sees(only("eu"))("eu" -> kafka(0 -> 10)).read

  protected def duplicates(seen: Seen): Vector[Notice.Duplicate] =
    seen.notices.collect { case notice: Notice.Duplicate => notice }

  protected def printed(seen: Seen): String = duplicates(seen).map(_.positions).mkString

  /** From one id to the other, by the offsets that the warning prints, each minute more records. */
  protected def renamed(query: Query, to: String, now: Int): Query = {
    val warned = query.sees(only(to))(end(now): _*)
    warned.read.after(Duration.ofMinutes(1)).sees(at(to, printed(warned)))(end(now + 5): _*).read
  }

  protected def next(query: Query): Vector[String] = positions(query.held)
}
