package io.github.dynamickafka.spark.metadata.yaml

import java.util.IdentityHashMap

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

import org.snakeyaml.engine.v2.api.LoadSettings
import org.snakeyaml.engine.v2.api.lowlevel.Compose
import org.snakeyaml.engine.v2.exceptions.{MarkedYamlEngineException, YamlEngineException}
import org.snakeyaml.engine.v2.nodes.{MappingNode, Node, SequenceNode}
import org.snakeyaml.engine.v2.schema.CoreSchema

/** The nodes of a YAML text, with their lines. A text that would take too much memory is refused first: one that is too
  * long, nested too deep, or has aliases that multiply its values.
  */
private[yaml] object YamlTree {
  val CodePoints      = 32 * 1024 * 1024
  private val Nodes   = 2 * 1000 * 1000L
  private val Aliases = 100 * 1000
  private val Depth   = 50

  // Often these are secrets without quotes that begin with `*` or `!`, so the text must not show them.
  private val Quoting = Seq(
    "found undefined alias"      -> "an alias that nothing defines; a value that begins with * needs quotes",
    "found undefined tag handle" -> "a tag that nothing defines; a value that begins with ! needs quotes"
  )

  // The parser fails where the end of its buffer cuts a surrogate pair, such as an emoji. So one buffer holds all.
  private def settings(text: String) = LoadSettings
    .builder()
    .setBufferSize(text.length + 1)
    .setSchema(new CoreSchema)
    .setCodePointLimit(CodePoints)
    .setMaxAliasesForCollections(Aliases)
    .build()

  /** The root; none for an empty text. */
  def of(text: String): Either[YamlProblem, Option[Node]] =
    try {
      val root = new Compose(settings(text)).composeString(text).toScala
      root.flatMap(node => tooMuch(node).orElse(tooDeep(node, Depth))).toLeft(root)
    } catch {
      // The parser's message quotes the text, which may hold secrets. Only some parts of it are safe.
      case e: MarkedYamlEngineException =>
        Left(problem(e.getProblemMark.toScala.fold(1)(_.getLine + 1), syntax(e)))
      case e: YamlEngineException => Left(problem(1, s"it is not valid YAML: ${e.getMessage.linesIterator.next()}"))
      case _: StackOverflowError  => Left(problem(1, TooDeep))
    }

  def line(node: Node): Int = node.getStartMark.toScala.fold(1)(_.getLine + 1)

  private def syntax(e: MarkedYamlEngineException): String = {
    val what = Option(e.getProblem).getOrElse("")
    val safe = Quoting.collectFirst { case (start, instead) if what.startsWith(start) => instead }.getOrElse(what)
    (Seq("it is not valid YAML", "or is cut off") ++ Option(e.getContext).filter(_.nonEmpty) :+ safe).mkString(", ")
  }

  private def tooMuch(root: Node): Option[YamlProblem] = {
    val sizes = new IdentityHashMap[Node, Long]
    // Marks a node that is being measured, so that an alias to an enclosing node is found.
    val open = -1L

    def size(node: Node): Long = Option(sizes.get(node)).getOrElse {
      sizes.put(node, open)
      val own = children(node).foldLeft(1L) { (sofar, child) =>
        val more = if (sofar > Nodes) 0L else size(child)
        if (more == open) Nodes + 1 else sofar + more
      }
      sizes.put(node, own)
      own
    }
    Option.when(size(root) > Nodes)(
      problem(line(root), s"its aliases refer to themselves, or make more than $Nodes values of it")
    )
  }

  // The nodes are read by recursion, and a text may be nested deeper than a thread's stack. Aliases to an enclosing
  // node are refused before.
  private def tooDeep(node: Node, left: Int): Option[YamlProblem] =
    if (left == 0) Some(problem(line(node), TooDeep))
    else children(node).map(tooDeep(_, left - 1)).collectFirst { case Some(found) => found }

  private val TooDeep = "it is nested too deep"

  private def children(node: Node): Iterator[Node] = node match {
    case sequence: SequenceNode => sequence.getValue.asScala.iterator
    case mapping: MappingNode   =>
      mapping.getValue.asScala.iterator.flatMap(tuple => Iterator(tuple.getKeyNode, tuple.getValueNode))
    case _ => Iterator.empty
  }

  private def problem(line: Int, text: String): YamlProblem = YamlProblem(line, YamlPlace.top, text)
}
