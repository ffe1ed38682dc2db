package io.github.dynamickafka.spark.errors

/** What the text of an error names.
  *
  * @param values of each field, each once, in the order of the text
  */
final case class ErrorFields(values: Map[Field, Vector[String]]) {
  import ErrorFields._

  /** All values of a field, at most a hundred: a text that goes into events and logs must not list ten thousand topics
    * twice.
    */
  def all(field: Field): Vector[String] = values.getOrElse(field, Vector.empty).take(Most)

  /** The only value that the text names; none if it names several.
    *
    * Also none for a partition if the text names several clusters or topics, and for a line if it names several files.
    */
  def one(field: Field): Option[String] = all(field) match {
    case Vector(value) if Counted.getOrElse(field, Set.empty).forall(all(_).sizeIs <= 1) => Some(value)
    case _                                                                               => None
  }

  def isEmpty: Boolean = values.isEmpty
}

object ErrorFields {
  private val Most = 100

  private val Counted: Map[Field, Set[Field]] =
    Map(Field.Partition -> Set(Field.Cluster, Field.Topic), Field.Line -> Set(Field.File))

  val none: ErrorFields = ErrorFields(Map.empty)

  def of(field: Field, value: String): ErrorFields = ErrorFields(Map(field -> Vector(value)))

  def together(parts: Iterable[ErrorFields]): ErrorFields = ErrorFields(
    parts.toVector.flatMap(_.values).groupMap(_._1)(_._2).transform((_, values) => values.flatten.distinct)
  )
}
