package io.github.dynamickafka.spark.driver.uncommitted

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.atomic.AtomicReference

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.slf4j.LoggerFactory

/** Keeps one text that must outlive the driver. It is written whole or not at all. */
trait DecisionStore {

  /** Its name in errors. */
  def name: String

  /** The text written last, if there is one. */
  def read(): Option[String]

  /** Replaces the text. When this returns, each later start reads it. It fails if another run has written since this
    * run last read or wrote: the decision of another run is never replaced.
    */
  def write(text: String): Unit
}

object DecisionStore {

  /** For a query that has no checkpoint, or keeps nothing there. */
  val none: DecisionStore = new DecisionStore {
    override def name: String              = "nothing"
    override def read(): Option[String]    = None
    override def write(text: String): Unit = ()
  }
}

/** Keeps the text in a folder of the checkpoint, as files whose names are numbers. The highest number counts. A new
  * file is written under another name and then renamed, because not every file system can replace a file in one step.
  *
  * It opens the file system at its first call, not in the constructor.
  *
  * @param checkpoint the source's own folder, which Spark names
  * @param below the name of the folder there
  */
final class DecisionFolder(checkpoint: String, configuration: => Configuration, below: String = DecisionFolder.Name)
    extends DecisionStore {
  private val log                    = LoggerFactory.getLogger(classOf[DecisionFolder])
  private val folder                 = new Path(checkpoint, below)
  private lazy val files: FileSystem = folder.getFileSystem(configuration)

  // What this run has found or written last, once it has looked.
  private val own = new AtomicReference(Option.empty[DecisionFolder.Seen])

  override def name: String = s"The newest file in $folder"

  override def read(): Option[String] = {
    val number = numbers.maxOption
    own.set(Some(DecisionFolder.Seen(number)))
    number.map(one => Using.resource(files.open(file(one)))(in => new String(in.readAllBytes, UTF_8)))
  }

  override def write(text: String): Unit = {
    files.mkdirs(folder): Unit
    val before    = numbers
    val here      = DecisionFolder.Seen(before.maxOption)
    val temporary = new Path(folder, s".${here.next}.${UUID.randomUUID}.tmp")
    if (!own.get.forall(seen => seen.number == here.number || renamed(seen, here.number))) throw another
    Using.resource(files.create(temporary, false))(_.write(text.getBytes(UTF_8)))
    own.set(Some(here.copy(renaming = Some(temporary))))
    if (files.exists(file(here.next)) || !files.rename(temporary, file(here.next))) throw another
    own.set(Some(DecisionFolder.Seen(Some(here.next))))
    before.foreach(old => delete(file(old)))
  }

  // A rename that failed may still have happened. Then its file is no longer in its old place.
  private def renamed(seen: DecisionFolder.Seen, number: Option[Long]): Boolean =
    number.contains(seen.next) && seen.renaming.exists(!files.exists(_))

  private def another =
    new IOException(s"Another run has written in $folder since: does another query use the checkpoint?")

  private def file(number: Long): Path = new Path(folder, number.toString)

  private def numbers: Vector[Long] =
    if (files.exists(folder)) files.listStatus(folder).toVector.flatMap(_.getPath.getName.toLongOption)
    else Vector.empty

  private def delete(path: Path): Unit =
    try files.delete(path, false): Unit
    catch { case NonFatal(e) => log.info(s"$path is no longer needed, but can't be deleted", e) }
}

object DecisionFolder {

  /** @param number of the newest file, if there was one
    * @param renaming the file that was to be the next one
    */
  final private case class Seen(number: Option[Long], renaming: Option[Path] = None) {
    def next: Long = number.fold(1L)(_ + 1)
  }

  /** Below the source's own folder: what uncommitted batches defer. */
  val Name = "deferred"

  /** What has begun in the newest batch of Real-Time Mode. */
  val Begun = "realtime"

  /** The last version of the metadata, if the service has versions. */
  val Versions = "metadata"
}
