package io.github.dynamickafka.spark.errors

import scala.language.implicitConversions

import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId, Printable, StreamId}

/** A text, and the fields of an error that it names. The interpolator `say` builds both from the same values, so an error's
  * fields can't differ from its words:
  * {{{ say"Topic ${Named.topic(name)} of cluster $cluster is gone." }}}
  *
  * Two are equal if their texts are: the same text has the same fields.
  */
final class Wording(val text: String, val fields: ErrorFields) extends Serializable {

  def +(more: Wording): Wording = new Wording(text + more.text, ErrorFields.together(Seq(fields, more.fields)))

  override def equals(other: Any): Boolean = other match {
    case other: Wording => other.text == text
    case _              => false
  }

  override def hashCode: Int = text.hashCode

  override def toString: String = text
}

object Wording {
  val nothing: Wording = plain("")

  /** A text that names nothing. */
  implicit def plain(text: String): Wording = new Wording(text, ErrorFields.none)

  private[errors] def of(context: StringContext, parts: Seq[Any]): Wording = new Wording(
    StringContext.standardInterpolator(StringContext.processEscapes, parts.map(shown), context.parts),
    ErrorFields.together(parts.map(named))
  )

  // An id may be of any length. The fields have it whole.
  private def shown(part: Any): Any = part match {
    case _: ClusterId | _: StreamId => Printable.clipped(part.toString)
    case other                      => other
  }

  /** Values one after the other, each with what it names. */
  def list(parts: Iterable[Any], separator: String = ", "): Wording =
    new Wording(parts.mkString(separator), ErrorFields.together(parts.map(named)))

  /** The same, but the text has the first ones only, and how many more there are.
    *
    * @param whole where a reader finds all of them
    */
  def first(parts: Iterable[Any], separator: String = ", ", whole: String = ""): Wording = {
    val found = if (whole.isEmpty) "" else s" ($whole)"
    val more  = if (parts.sizeIs > Shown) s" and ${parts.size - Shown} more$found" else ""
    new Wording(parts.take(Shown).mkString(separator) + more, list(parts).fields)
  }

  // A text is read by people: the first few say what they need.
  private val Shown = 20

  private def named(part: Any): ErrorFields = part match {
    case wording: Wording => wording.fields
    case named: Named     => named.fields
    case id: ClusterId    => ErrorFields.of(Field.Cluster, id.value)
    case id: StreamId     => ErrorFields.of(Field.Stream, id.value)
    case id: PartitionId  => ErrorFields.together(
        Seq(
          ErrorFields.of(Field.Cluster, id.cluster.value),
          ErrorFields.of(Field.Topic, id.topic),
          ErrorFields.of(Field.Partition, id.partition.toString)
        )
      )
    case _ => ErrorFields.none
  }
}

/** A value in a text whose type does not say what it names. */
final class Named private (text: String, val fields: ErrorFields) {
  override def toString: String = text
}

object Named {
  def topic(name: String): Named    = one(Field.Topic, name)
  def partition(number: Int): Named = one(Field.Partition, number.toString)
  def option(key: String): Named    = one(Field.Option, key)
  def file(path: String): Named     = one(Field.File, path)
  def line(number: Int): Named      = one(Field.Line, number.toString)

  /** "topic orders of cluster eu-1" */
  def topicOf(cluster: ClusterId, name: String): Wording = say"topic ${topic(name)} of cluster $cluster"

  def cluster(id: String): Named = clipped(Field.Cluster, id)
  def stream(id: String): Named  = clipped(Field.Stream, id)

  private def one(field: Field, value: String): Named = new Named(Printable.line(value), ErrorFields.of(field, value))

  private def clipped(field: Field, id: String): Named =
    new Named(Printable.clipped(Printable.line(id)), ErrorFields.of(field, id))
}
