package io.github.dynamickafka.spark.diff

import java.util.Locale

import io.github.dynamickafka.spark.options.NearestKey

/** Finds names that differ only by a typing error. */
object SimilarNames {

  /** A name that is gone, and a new name that may be a misspelling of it. */
  final case class Pair(gone: String, appeared: String)

  def pairs(gone: Iterable[String], appeared: Iterable[String]): Vector[Pair] =
    for (one <- gone.toVector.sorted; other <- appeared.toVector.sorted if near(one, other)) yield Pair(one, other)

  /** Whether one letter was added, left out, replaced or swapped with its neighbour, or only case and separators differ.
    * Not if only numbers differ: `eu-2` is no misspelled `eu-1`.
    */
  def near(one: String, other: String): Boolean = {
    val numbers = one.replaceAll("[0-9]+", "") == other.replaceAll("[0-9]+", "")
    one != other && !numbers && Math.max(one.length, other.length) >= Shortest &&
    (plain(one) == plain(other) || NearestKey.distance(one, other) == 1 || swapped(one, other))
  }

  private def plain(name: String): String = name.toLowerCase(Locale.ROOT).replaceAll("[-_. ]", "")

  private def swapped(one: String, other: String): Boolean = {
    val at = one.indices.filter(i => i < other.length && one(i) != other(i))
    one.length == other.length && at.size == 2 && at(1) == at(0) + 1 && one(at(0)) == other(at(1)) &&
    one(at(1)) == other(at(0))
  }

  // Short names, such as `a` and `b`, often differ by one letter.
  private val Shortest = 4
}
