package io.github.dynamickafka.spark

import java.nio.file.{Files, Path, Paths}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import munit.FunSuite

import io.github.dynamickafka.spark.options.OptionsPage

/** Checks the source tree: which folder may import what, and how large a file may be. */
class ArchitectureSuite extends FunSuite {
  private val Package = "io.github.dynamickafka.spark"
  private val pure    =
    Set("ids", "topology", "options", "offsets", "reconcile", "plan", "backlog", "diff", "deferral", "realtime")

// Values and failures that any folder may use.
  private val forPure = pure + "errors"

  private val forSpark = Set("spark", "read", "columns", "metrics", "monitoring")

  // Single files at an edge, each with the reason.
  private val sparkFiles = Set(
    "DynamicKafkaSource.scala",      // passes the options to a session's reader
    "MonitoringPlugin.scala",        // Spark makes it by its name
    "metadata/yaml/HadoopFile.scala" // needs the running session's Hadoop configuration
  )

  private val sourceLimit = 300

  private val root = OptionsPage.top(Paths.get("").toAbsolutePath).resolve("jvm/src")

  private def sources(set: String, language: String): Vector[Source] = {
    val top = root.resolve(s"$set/$language/${Package.replace('.', '/')}")
    val all = if (Files.exists(top)) Files.walk(top).iterator.asScala.toVector else Vector.empty[Path]
    all.filter(_.toString.endsWith(s".$language")).sorted.map { file =>
      Source(top.relativize(file).toString, Files.readAllLines(file).asScala.toVector)
    }
  }

  private val main = sources("main", "scala") ++ sources("main", "java")

  private def breaches(of: Source => Boolean)(wrong: String => Boolean): Vector[String] =
    main.filter(of).flatMap(source => source.imports.filter(wrong).map(name => s"${source.name} imports $name"))

  private def isPure(source: Source): Boolean = pure(source.folder)

  test("the tree is found, and its imports are read") {
    val text = main.find(_.name == "offsets/OffsetRuleText.scala").getOrElse(fail(s"not below $root"))
    assert(text.imports.contains("com.fasterxml.jackson.databind.JsonNode"), text.imports)
    assert(main.exists(_.name.endsWith(".java")))
  }

  test("pure folders import neither Spark nor Kafka's clients") {
    assertEquals(
      breaches(isPure) { name =>
        name.startsWith("org.apache.spark.") ||
        name.startsWith("org.apache.kafka.") && name != "org.apache.kafka.common.TopicPartition"
      },
      Vector.empty
    )
  }

  test("pure folders import nothing of this source but what is pure") {
    assertEquals(
      breaches(isPure) { name =>
        name.startsWith(s"$Package.") &&
        !forPure(name.stripPrefix(s"$Package.").takeWhile(_ != '.'))
      },
      Vector.empty
    )
  }

  test("only the folder kafka opens Kafka's clients") {
    val opens = """new KafkaConsumer\b|\bAdmin\.create\b|\bAdminClient\b|new KafkaProducer\b""".r
    val found = main.filterNot(_.folder == "kafka").flatMap { source =>
      source.lines.filter(line => opens.findFirstIn(line).isDefined).map(line => s"${source.name}: ${line.trim}")
    }
    assertEquals(found, Vector.empty)
  }

  test("Spark is imported at its edges alone") {
    val elsewhere = (source: Source) => !forSpark(source.folder) && !sparkFiles(source.name)
    assertEquals(breaches(elsewhere)(_.startsWith("org.apache.spark.")), Vector.empty)
  }

  // The package itself is left out. It is what users call and implement, so folders and it need each other.
  test("no folders import each other in a circle") {
    val uses   = main.filter(_.folder.nonEmpty).groupMapReduce(_.folder)(_.folders)(_ ++ _)
    val circle = ArchitectureSuite.circle(uses)
    val steps  = circle.zip(circle.drop(1)).map { case (from, to) =>
      val files = main.filter(source => source.folder == from && source.folders(to)).map(_.name)
      s"$from imports $to: ${files.mkString(", ")}"
    }
    assertEquals(steps, Vector.empty, circle.mkString(" -> "))
  }

  // What all folders below one share lies in that one itself.
  test("no folders of one folder import each other in a circle") {
    val circles = main.groupBy(_.folder).transform { (_, files) =>
      ArchitectureSuite.circle(files.filter(_.inner.nonEmpty).groupMapReduce(_.inner)(_.inners)(_ ++ _))
    }
    assertEquals(circles.filter(_._2.nonEmpty), Map.empty[String, Vector[String]])
    assert(main.exists(_.inner == "uncommitted") && main.exists(_.inners("uncommitted")))
  }

  test("a circle of folders is found and named, and what only leads to it is not") {
    def circle(uses: (String, Set[String])*) = ArchitectureSuite.circle(uses.toMap).mkString(" ")
    assertEquals(circle("a" -> Set("b", "c"), "b" -> Set("c"), "c" -> Set("elsewhere")), "")
    assertEquals(
      circle("a" -> Set("b"), "b" -> Set("c"), "c" -> Set("d"), "d" -> Set("b", "e"), "e" -> Set()),
      "b c d b"
    )
  }

  test(s"no source file is longer than $sourceLimit lines") {
    val all = main ++ sources("test", "scala") ++ sources("test", "java")
    assertEquals(all.filter(_.lines.size > sourceLimit).map(s => s"${s.name}: ${s.lines.size}"), Vector.empty)
  }
}

private object ArchitectureSuite {

  /** Folders each of which uses the next, the first one at the end again; none if there is no circle.
    *
    * @param uses what each folder uses
    */
  @tailrec
  def circle(uses: Map[String, Set[String]]): Vector[String] = {
    val used = uses.transform((_, folders) => folders.filter(uses.contains)).filter(_._2.nonEmpty)
    // A folder that uses none of the others is in no circle.
    if (used.sizeIs < uses.size) circle(used)
    else if (used.isEmpty) Vector.empty
    else {
      val paths = Iterator.iterate(Vector(used.keys.min))(path => path :+ used(path.last).min)
      paths.find(path => path.init.contains(path.last)).map(path => path.drop(path.indexOf(path.last))).get
    }
  }
}

/** One file below the package root: `offsets/OffsetRule.scala`. */
final private case class Source(name: String, lines: Vector[String]) {

  /** The folder below the package root; empty for a file in the root itself. */
  val folder: String = if (name.contains('/')) name.takeWhile(_ != '/') else ""

  /** The folder in that folder, if there is one. */
  val inner: String = name.split('/').drop(1).dropRight(1).mkString("/")

  /** Whole names; an import of several names is split. */
  val imports: Vector[String] = Source.Import
    .findAllMatchIn(lines.mkString("\n"))
    .flatMap { found =>
      val names = Option(found.group(2)).map(_.split(",").map(_.trim.split("\\s+").head)).getOrElse(Array(""))
      names.map(found.group(1) + _)
    }
    .toVector

  /** The other folders of this source that it imports. */
  val folders: Set[String] = imports.flatMap(Source.Folder.findFirstMatchIn(_)).map(_.group(1)).toSet - folder

  /** The other folders in the same folder that it imports. */
  val inners: Set[String] = imports.flatMap(Source.Inner.findFirstMatchIn(_)).collect {
    case found if found.group(1) == folder => found.group(2)
  }.toSet - inner
}

private object Source {
  val Import = """(?m)^\s*import (?:static )?([\w.]+)(?:\{([^}]*)\})?""".r

  val Inner = """^io\.github\.dynamickafka\.spark\.([a-z]\w*)\.([a-z]\w*)\.""".r

  // A name with a small first letter is that of a folder.
  val Folder = """^io\.github\.dynamickafka\.spark\.([a-z]\w*)\.""".r
}
