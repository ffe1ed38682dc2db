package io.github.dynamickafka.spark.fakes

import org.scalacheck.Gen

/** Changes a text at random, as a broken or hostile writer could. Do not shrink a failing text: with thousands of
  * characters that takes forever, and a suite's timeout does not end it.
  */
object Mutations {

  /** The text after a few changes: parts are removed, repeated, moved, or replaced by one of these pieces. */
  def of(text: String, pieces: Seq[String]): Gen[String] =
    Gen.choose(1, 4).flatMap(count =>
      (1 to count).foldLeft(Gen.const(text))((sofar, _) => sofar.flatMap(once(_, pieces)))
    )

  private def once(text: String, pieces: Seq[String]): Gen[String] = for {
    a     <- Gen.choose(0, text.length)
    b     <- Gen.choose(0, text.length)
    at    <- Gen.choose(0, text.length)
    piece <- Gen.oneOf(pieces)
    (from, until) = (a.min(b), a.max(b).min(a.min(b) + 200))
    part          = text.substring(from, until)
    changed <- Gen.oneOf(
      text.patch(from, "", until - from),
      text.patch(at, part, 0),
      text.patch(at, part, part.length),
      text.patch(at, piece, 0),
      text.patch(from, piece, piece.length)
    )
  } yield changed
}
