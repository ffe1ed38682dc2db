package io.github.dynamickafka.spark.diff

import munit.FunSuite

class SimilarNamesSuite extends FunSuite {
  Seq(
    "a letter is left out"    -> ("orders"       -> "oders"),
    "a letter is added"       -> ("orders"       -> "ordders"),
    "a letter is replaced"    -> ("orders"       -> "orfers"),
    "two letters are swapped" -> ("orders"       -> "ordres"),
    "only case differs"       -> ("orders"       -> "Orders"),
    "only separators differ"  -> ("orders_eu.v2" -> "orders-eu-v2")
  ).foreach { case (what, (one, other)) =>
    test(s"a slip: $what") {
      assert(SimilarNames.near(one, other))
      assert(SimilarNames.near(other, one))
    }
  }

  Seq(
    "the same name"            -> ("orders" -> "orders"),
    "another number"           -> ("eu-1"   -> "eu-2"),
    "a number more"            -> ("orders" -> "orders2"),
    "another name"             -> ("orders" -> "refunds"),
    "two letters apart"        -> ("orders" -> "boarders"),
    "names of a letter or two" -> ("eu"     -> "us")
  ).foreach { case (what, (one, other)) =>
    test(s"no slip: $what")(assert(!SimilarNames.near(one, other)))
  }

  test("each name that is gone is compared with each that has come") {
    assertEquals(
      SimilarNames.pairs(Set("orders", "refunds"), Set("ordres", "clicks")),
      Vector(SimilarNames.Pair("orders", "ordres"))
    )
  }
}
