package io.github.dynamickafka.spark.metadata.yaml

import io.github.dynamickafka.spark.errors.{Named, Say, Wording}

/** A problem at one line of a file of streams. The text shows no value, because a value may be a secret.
  *
  * @param line counted from 1
  */
final private[metadata] case class YamlProblem(line: Int, place: YamlPlace, text: String) {
  def wording: Wording = say"line ${Named.line(line)}${place.wording}: $text"

  override def toString: String = wording.text
}

/** A place in the structure: the stream, if it is known, and the path of the field below it.
  *
  * @param stream its name in messages, such as `stream orders`; empty outside of all streams
  */
final private[metadata] case class YamlPlace(stream: Wording, path: String) {
  def /(key: String): YamlPlace    = copy(path = if (path.isEmpty) shown(key) else s"$path.${shown(key)}")
  def apply(index: Int): YamlPlace = copy(path = s"$path[$index]")

  def wording: Wording = {
    val parts = Seq(stream, Wording.plain(if (path.isEmpty) "" else s"field $path"))
    Wording.list(parts.filter(_.text.nonEmpty).map(part => say", $part"), "")
  }

  override def toString: String = wording.text

  // Without a space after the colon, the value is a part of the key.
  private def shown(key: String): String = {
    val name = key.takeWhile(char => !YamlPlace.NoName.contains(char))
    if (name == key) key else s"$name…"
  }
}

private[metadata] object YamlPlace {
  private val NoName = ":=\"' \t\n"

  val top: YamlPlace = YamlPlace("", "")
}
