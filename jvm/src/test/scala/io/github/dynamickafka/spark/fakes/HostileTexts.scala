package io.github.dynamickafka.spark.fakes

import scala.concurrent.duration._

import munit.ScalaCheckSuite
import org.scalacheck.Gen

/** Texts that a broken or hostile writer made of good ones. Do not shrink a failing text: with thousands of characters that
  * takes forever, and a suite's timeout does not end it.
  */
trait HostileTexts extends ScalaCheckSuite {
  override def munitTimeout: Duration = 60.seconds

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(2000)

  private val pieces = Seq("{" * 5000, "[" * 5000, "9" * 5000, "-1", "1e999999999", "null", "\"", "\\", ",", ":") ++
    Seq("\u0000", "\uD800", "{}", "[]")

  /** The text after a few changes: parts are removed, repeated, moved, or replaced by pieces: by these, or by those that
    * mean something in any text.
    */
  protected def changed(text: String, more: String*): Gen[String] =
    Gen.choose(1, 4).flatMap(count =>
      (1 to count).foldLeft(Gen.const(text))((sofar, _) => sofar.flatMap(once(_, pieces ++ more)))
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
