package io.github.dynamickafka.spark.metadata.yaml

import org.snakeyaml.engine.v2.nodes.Node

/** The fields of one mapping. Each is read separately, so that all problems are reported and not only the first.
  *
  * @param problems of the mapping itself: it is not a mapping, or a field is unknown, missing or repeated
  */
final private[yaml] case class YamlFields(values: Map[String, Node], at: YamlPlace, problems: Vector[YamlProblem]) {
  import YamlValues.Checked

  /** The problems of the mapping, as a value that can be combined with those of the fields. */
  def form: Checked[Unit] = Either.cond(problems.isEmpty, (), problems)

  /** A required field. If it is missing, `problems` already reports that. */
  def required[A](field: String)(read: (Node, YamlPlace) => Checked[A]): Checked[A] =
    values.get(field).map(read(_, at / field)).getOrElse(Left(Vector.empty))

  def optional[A](field: String)(read: (Node, YamlPlace) => Checked[A]): Checked[Option[A]] =
    values.get(field).map(read(_, at / field).map(Some(_))).getOrElse(Right(None))
}

private[yaml] object YamlFields {
  import YamlValues._

  def of(node: Node, at: YamlPlace, required: Seq[String], optional: Seq[String]): YamlFields =
    entries(node, at, text).fold(
      problems => YamlFields(Map.empty, at, problems),
      found => {
        val allowed = required ++ optional
        val unknown = found.filterNot { case (name, _, _) => allowed.contains(name) }.map { case (name, key, _) =>
          problem(key, at / name, s"there is no such field; allowed are ${allowed.mkString(", ")}")
        }
        val missing = required.filterNot(found.map(_._1).contains).map { name =>
          problem(node, at / name, "it is missing, or the file is cut off here")
        }
        val values = found.map { case (name, _, value) => name -> value }.toMap
        YamlFields(values, at, doubled(found, at) ++ unknown ++ missing)
      }
    )
}
