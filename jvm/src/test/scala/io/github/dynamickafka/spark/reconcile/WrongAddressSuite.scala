package io.github.dynamickafka.spark.reconcile

import munit.FunSuite

import io.github.dynamickafka.spark.fakes.Query
import io.github.dynamickafka.spark.fakes.Situations._

/** A cluster is added with the address of another one, and the address is corrected before anything of it was read. No
  * position can be lost by that.
  */
class WrongAddressSuite extends FunSuite {
  private val orders = topics("orders")
  private val both   = listed("eu" -> orders, "us" -> orders)
  private val eu     = "eu" -> answer("orders" -> has(0 -> 10).of("T1")).of("K1")
  private val us     = "us" -> answer("orders" -> has(0 -> 5).of("T2")).of("K2")
  private val begun  = Query(fromEarliest).sees(listed("eu" -> orders))(eu).read

  for {
    (name, there) <-
      Seq("has the topic under another id" -> eu._2, "does not have the topic" -> answer("orders" -> absent).of("K3"))
  } test(s"the address is of a cluster that $name") {
    val wrong = begun.sees(both)(eu, "us" -> there).read
    assertEquals(wrong.sees(both)(eu, us).ranges, Vector("us orders 0 0-5"))
  }

  test("the same of a cluster that is paused at first") {
    val wrong =
      begun.sees(listed("eu" -> orders, "us" -> orders.paused))(eu, "us" -> answer("orders" -> absent).of("K3")).read
    assertEquals(wrong.sees(both)(eu, us).ranges, Vector("us orders 0 0-5"))
  }
}
