package io.github.dynamickafka.spark.options

import java.util.Locale

/** Finds the option that a user may have meant by a misspelled key. */
object NearestKey {

  /** The nearest candidate, if at most a third of its letters differ. Case, `_` and `-` do not count. */
  def to(key: String, candidates: Seq[String]): Option[String] = {
    val written = letters(key)
    candidates.iterator
      // There may be thousands, and the distance is at least the difference of the lengths.
      .filter(candidate => (letters(candidate).length - written.length).abs <= candidate.length / 3)
      .map(candidate => candidate -> distance(written, letters(candidate)))
      .filter { case (candidate, edits) => edits <= candidate.length / 3 }
      .minByOption(_._2)
      .map(_._1)
  }

  /** How many edits turn one text into the other. An edit adds, removes or replaces one letter. */
  def distance(from: String, to: String): Int =
    to.foldLeft((0 to from.length).toVector) { (above, letter) =>
      from.indices.foldLeft(Vector(above.head + 1)) { (row, i) =>
        val replaced = above(i) + (if (from(i) == letter) 0 else 1)
        row :+ (replaced min (row(i) + 1) min (above(i + 1) + 1))
      }
    }.last

  private def letters(key: String): String = key.toLowerCase(Locale.ROOT).replaceAll("[_-]", "")
}
