package io.github.dynamickafka.spark.metadata.yaml

import org.snakeyaml.engine.v2.nodes.Node

import io.github.dynamickafka.spark.options.NearestKey

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
        val strange = found.filterNot { case (name, _, _) => allowed.contains(name) }
        val meant   = strange.flatMap { case (name, _, _) => NearestKey.to(name, allowed).map(name -> _) }.toMap
        val unknown = strange.map { case (name, key, value) =>
          val instead = meant.get(name).fold(s"allowed are ${allowed.mkString(", ")}")(near => s"did you mean $near?")
          problem(key, below(at, name, value), s"there is no such field; $instead")
        }
        // A field with a misspelled name is not reported as missing too.
        val missing = required.filterNot(name => found.exists(_._1 == name) || meant.values.exists(_ == name)).map {
          name =>
            problem(node, at / name, "it is missing, or the file is cut off here")
        }
        val values = found.map { case (name, _, value) => name -> value }.toMap
        YamlFields(values, at, doubled(found, at) ++ unknown ++ missing)
      }
    )
}
