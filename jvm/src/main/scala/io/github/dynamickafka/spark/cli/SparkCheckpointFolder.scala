package io.github.dynamickafka.spark.cli

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Callable, ExecutionException, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.matching.Regex

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}

import io.github.dynamickafka.spark.cli.SparkCheckpointFolder._

/** The checkpoint of a query, in any file system of Hadoop's. Paths are relative to it. */
final private[cli] class SparkCheckpointFolder(place: String, configuration: Configuration) {
  private val files = new Path(place).getFileSystem(configuration)
  private val root  = files.makeQualified(new Path(place))

  def name: String               = root.toString
  def path(file: String): String = at(file).toString

  def has(file: String): Boolean = files.exists(at(file))

  def names(folder: String): Vector[String] =
    if (has(folder)) files.listStatus(at(folder)).toVector.map(_.getPath.getName) else Vector.empty

  /** All files below a folder. */
  def files(folder: String): Vector[Entry] =
    if (!has(folder)) Vector.empty
    else {
      val found = files.listFiles(at(folder), true)
      Iterator.continually(found).takeWhile(_.hasNext).map(_.next()).map { one =>
        Entry(one.getPath.toString.stripPrefix(s"$root/"), one.getLen)
      }.toVector
    }

  def read(file: String): String = Using.resource(files.open(at(file)))(in => new String(in.readAllBytes, UTF_8))

  def write(file: String, text: String): Unit =
    Using.resource(files.create(at(file), true))(_.write(text.getBytes(UTF_8)))

  /** Writes a whole checkpoint. Until all is there, Spark refuses to start a query with it. If that fails, nothing is left.
    *
    * @param metadata what Spark's file `metadata` will have
    */
  def complete(metadata: String)(write: => Unit): Unit =
    try {
      this.write("metadata", Unfinished)
      write
      this.write("metadata", metadata)
    } catch {
      case e: Throwable =>
        files.delete(root, true)
        throw e
    }

  /** Copies these files, some at a time.
    *
    * @param done is called after each, from any thread
    */
  def copy(from: SparkCheckpointFolder, some: Vector[Entry], done: () => Unit): Unit = {
    val threads = Executors.newFixedThreadPool(Threads)
    try
      threads.invokeAll(some.map { one =>
        (() => {
          copy(from, one.file)
          done()
        }): Callable[Unit]
      }.asJava).forEach(_.get)
    catch { case e: ExecutionException => throw e.getCause }
    finally threads.shutdownNow(): Unit
  }

  private def copy(from: SparkCheckpointFolder, file: String): Unit =
    if (OperatorMetadata.matches(file)) write(file, moved(from.read(file)))
    else FileUtil.copy(from.files, from.at(file), files, at(file), false, configuration): Unit

  // Spark keeps the whole path of some schemas of the state. The old folder may be deleted one day.
  private def moved(text: String): String =
    SchemaPath.replaceAllIn(text, found => Regex.quoteReplacement(s"\"$root/state/${found.group(1)}\""))

  private def at(file: String): Path = if (file.isEmpty) root else new Path(root, file)
}

private[cli] object SparkCheckpointFolder {

  /** @param file its path within the checkpoint */
  final case class Entry(file: String, bytes: Long)

  // Spark expects JSON there, and fails if it finds something else.
  private val Unfinished =
    "dynamic-kafka adopt has not finished this checkpoint. Delete the folder, and run the command again."

  // Object stores take tens of milliseconds for each file.
  private val Threads = 16

  private val OperatorMetadata = raw"state/\d+/_metadata/.*".r
  private val SchemaPath       = """"[^"]*/state/(\d+/_stateSchema/[^"]*)"""".r
}
