package io.github.dynamickafka.spark.metadata.yaml

/** A problem at one line of a file of streams. The text shows no value, because a value may be a secret.
  *
  * @param line counted from 1
  */
final private[metadata] case class YamlProblem(line: Int, place: YamlPlace, text: String) {
  override def toString: String = s"line $line$place: $text"
}

/** A place in the structure: the stream, if it is known, and the path of the field below it.
  *
  * @param stream its name in messages, such as `stream orders`; empty outside of all streams
  */
final private[metadata] case class YamlPlace(stream: String, path: String) {
  def /(key: String): YamlPlace    = copy(path = if (path.isEmpty) key else s"$path.$key")
  def apply(index: Int): YamlPlace = copy(path = s"$path[$index]")

  override def toString: String =
    Seq(stream, if (path.isEmpty) "" else s"field $path").filter(_.nonEmpty).map(", " + _).mkString
}

private[metadata] object YamlPlace {
  val top: YamlPlace = YamlPlace("", "")
}
