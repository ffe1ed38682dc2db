package io.github.dynamickafka.spark.metadata.yaml

import scala.jdk.CollectionConverters._

import org.snakeyaml.engine.v2.nodes.{MappingNode, Node, ScalarNode, SequenceNode, Tag}

/** Reads nodes as typed values. A problem names its place and what was found instead. */
private[yaml] object YamlValues {
  type Checked[A] = Either[Vector[YamlProblem], A]

  private val scalars = Set(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL)

  /** Key, the key's node, the value's node. */
  type Entry = (String, Node, Node)

  def problem(node: Node, at: YamlPlace, text: String): YamlProblem = YamlProblem(YamlTree.line(node), at, text)

  def failed[A](node: Node, at: YamlPlace, text: String): Checked[A] = Left(Vector(problem(node, at, text)))

  /** All values, or all problems. */
  def all[A](items: Iterable[Checked[A]]): Checked[Vector[A]] = together(items)(_ => Vector.empty)

  /** The same, with a further check for values that have no problem of their own. */
  def together[A](items: Iterable[Checked[A]])(further: Vector[A] => Vector[YamlProblem]): Checked[Vector[A]] = {
    val (problems, values) = items.toVector.partitionMap(identity)
    val all                = problems.flatten ++ further(values)
    Either.cond(problems.isEmpty && all.isEmpty, values, all)
  }

  /** Text that is not empty. A number or a boolean needs quotes to count as text. */
  def text(node: Node, at: YamlPlace): Checked[String] = node match {
    case scalar: ScalarNode if scalar.getTag == Tag.STR && scalar.getValue.isBlank => failed(node, at, "it is empty")
    case scalar: ScalarNode if scalar.getTag == Tag.STR                            => Right(scalar.getValue)
    case other if scalars(other.getTag) => failed(node, at, s"expected text, found ${kind(node)}: put it in quotes")
    case _                              => expected("text", node, at)
  }

  /** Text, a number or a boolean, as it is written. */
  def scalar(node: Node, at: YamlPlace): Checked[String] = node match {
    case scalar: ScalarNode if scalars(scalar.getTag) => Right(scalar.getValue)
    case _                                            => expected("text, a number or a boolean", node, at)
  }

  def boolean(node: Node, at: YamlPlace): Checked[Boolean] = node match {
    case scalar: ScalarNode if scalar.getTag == Tag.BOOL => Right(scalar.getValue.toBoolean)
    case _                                               => expected("true or false", node, at)
  }

  /** The elements, each with its place. */
  def list(node: Node, at: YamlPlace): Checked[Vector[(Node, YamlPlace)]] = node match {
    case sequence: SequenceNode if sequence.getTag == Tag.SEQ =>
      Right(sequence.getValue.asScala.toVector.zipWithIndex.map { case (element, index) => element -> at(index) })
    case _ => expected("a list", node, at)
  }

  /** A list of texts without repetition.
    *
    * @param what the name of one of them in a problem
    */
  def texts(what: String)(node: Node, at: YamlPlace): Checked[Set[String]] =
    list(node, at).flatMap { elements =>
      val found = elements.map { case (element, place) => text(element, place).map((_, element, place)) }
      together(found)(repeated(_, what)(_._1, _._2, _._3)).map(_.map(_._1).toSet)
    }

  /** The entries of a mapping: each key with its text, its node and the value's node. */
  def entries(node: Node, at: YamlPlace, key: (Node, YamlPlace) => Checked[String]): Checked[Vector[Entry]] =
    node match {
      case mapping: MappingNode if mapping.getTag == Tag.MAP =>
        all(mapping.getValue.asScala.map { entry =>
          key(entry.getKeyNode, at).map((_, entry.getKeyNode, entry.getValueNode))
        })
      case _ => expected("a mapping", node, at)
    }

  /** A problem for each repeated key of a mapping. */
  def doubled(entries: Vector[Entry], at: YamlPlace): Vector[YamlProblem] =
    twice(entries)(_._1).map { case (_, (name, key, value)) =>
      problem(key, below(at, name, value), "it is here a second time")
    }

  /** The place of an unexpected field. A name without a value may be the rest of another field's value, which has a
    * comma and no quotes, and may be a secret.
    */
  def below(at: YamlPlace, name: String, value: Node): YamlPlace = if (value.getTag == Tag.NULL) at / "…" else at / name

  /** The values of a mapping whose keys the user chose, each key once. */
  def mapping[A](node: Node, at: YamlPlace, key: (Node, YamlPlace) => Checked[String])(
      read: (String, Node, YamlPlace) => Checked[A]
  ): Checked[Vector[(String, A)]] = entries(node, at, key).flatMap { found =>
    together(found.map { case (name, _, value) => read(name, value, at / name).map(name -> _) })(_ =>
      doubled(found, at)
    )
  }

  /** Each item that repeats the name of another one, with the first item of that name. */
  def twice[A](items: Vector[A])(name: A => String): Vector[(A, A)] =
    items.groupBy(name).values.filter(_.sizeIs > 1).flatMap(same => same.tail.map(same.head -> _)).toVector

  /** A problem for each repeated item. */
  def repeated[A](items: Vector[A], what: String)(
      name: A => String,
      node: A => Node,
      at: A => YamlPlace
  ): Vector[YamlProblem] = twice(items)(name).map { case (first, again) =>
    problem(
      node(again),
      at(again),
      s"the same $what ${name(again)} is already at line ${YamlTree.line(node(first))}"
    )
  }

  def expected[A](what: String, node: Node, at: YamlPlace): Checked[A] =
    failed(node, at, s"expected $what, found ${kind(node)}")

  private def kind(node: Node): String = node.getTag match {
    case Tag.STR   => "text"
    case Tag.INT   => "a number"
    case Tag.FLOAT => "a number"
    case Tag.BOOL  => "a boolean"
    case Tag.NULL  => "nothing (is the file cut off here?)"
    case Tag.SEQ   => "a list"
    case Tag.MAP   => "a mapping"
    case _         => "a value with its own tag (a value that begins with ! needs quotes)"
  }
}
