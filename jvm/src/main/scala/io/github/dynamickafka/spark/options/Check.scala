package io.github.dynamickafka.spark.options

import java.util.regex.{Pattern, PatternSyntaxException}

import io.github.dynamickafka.spark.offsets.{OffsetRule, OffsetRuleText}

/** Which texts an option allows, and what each means.
  *
  * @param allowed for the reference page and for errors
  * @param parse takes the trimmed text. Left: why it is refused, and what is allowed
  */
final case class Check[+A](allowed: String, parse: String => Either[String, A], form: ValueForm = ValueForm.ByHand)

object Check {
  private val ClassNameForm = """[\p{L}_$][\p{L}\p{N}_$]*(\.[\p{L}_$][\p{L}\p{N}_$]*)*"""
  private val Handle        = "registered:(.+)".r

  private def of[A](allowed: String, form: ValueForm = ValueForm.ByHand)(read: PartialFunction[String, A]): Check[A] =
    Check(allowed, text => read.lift(text).toRight(s"allowed is $allowed"), form)

  val text: Check[String] = of("any text that is not empty", ValueForm.Text) {
    case some if some.nonEmpty => some
  }

  val boolean: Check[Boolean] = {
    val values = Map("true" -> true, "false" -> false)
    of("`true` or `false`", ValueForm.Flag)(Function.unlift(text => values.get(text.toLowerCase)))
  }

  def choice[A](values: (String, A)*): Check[A] =
    of(values.map { case (name, _) => s"`$name`" }.mkString(" or "), ValueForm.Choice(values.map(_._1).toList))(
      values.toMap
    )

  val positive: Check[Long] =
    of("a whole number above 0", ValueForm.Count)(Function.unlift(text => text.toLongOption.filter(_ > 0)))

  /** A count. `-1` means no limit. */
  val countOrUnlimited: Check[Option[Int]] =
    of("a whole number, or `-1` for no limit", ValueForm.Count) {
      Function.unlift(text => text.toIntOption.filter(_ >= -1).map(count => Option.when(count >= 0)(count)))
    }

  val service: Check[ServiceChoice] = of("`yaml`, `http`, `single-cluster` or a class name") {
    case "yaml"                              => ServiceChoice.Yaml
    case "http"                              => ServiceChoice.Http
    case "single-cluster"                    => ServiceChoice.SingleCluster
    case Handle(handle)                      => ServiceChoice.Registered(handle)
    case name if name.matches(ClassNameForm) => ServiceChoice.ClassName(name)
  }

  val subscriber: Check[StreamSelection] = of("a class name") {
    case Handle(handle)                      => StreamSelection.RegisteredSubscriber(handle)
    case name if name.matches(ClassNameForm) => StreamSelection.SubscriberClass(name)
  }

  val pattern: Check[StreamSelection] = Check(
    "a Java regular expression",
    text =>
      if (text.isEmpty) Left("it is empty; allowed is a Java regular expression")
      else
        try Right(StreamSelection.Matching(Pattern.compile(text)))
        catch {
          case e: PatternSyntaxException =>
            Left(s"it is not a Java regular expression: ${e.getDescription} near index ${e.getIndex}")
        },
    ValueForm.Text
  )

  val streamIds: Check[StreamSelection] = Check(
    "ids separated by commas, or a JSON array of strings",
    text => StreamIdList.parse(text).map(StreamSelection.Ids(_))
  )

  val offsets: Check[OffsetRule] = Check(
    "`earliest`, `latest`, `{\"timestamp\": \"2026-01-01T00:00:00Z\"}` or the same in milliseconds, `{\"committed\": " +
      "\"group\", \"otherwise\": \"earliest\"}`, or JSON by cluster, topic and partition",
    OffsetRuleText.rule,
    ValueForm.Offsets
  )

  /** Any text. Its meaning is checked elsewhere. */
  val anything: Check[String] = Check("any text", Right(_))
}
