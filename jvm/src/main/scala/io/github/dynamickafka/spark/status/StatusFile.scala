package io.github.dynamickafka.spark.status

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardCopyOption}
import java.util.EnumSet

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  CommonPathCapabilities,
  CreateFlag,
  FileContext,
  FileSystem,
  Options,
  Path,
  UnsupportedFileSystemException
}
import org.apache.hadoop.fs.Options.CreateOpts

/** A status file in a folder of any Hadoop file system.
  *
  * It opens the file system at its first write, not in the constructor.
  */
final class StatusFile(folder: String, query: QueryIdentity, configuration: => Configuration) extends StatusPlace {
  private val path                   = new Path(folder, StatusFile.nameOf(query))
  private lazy val hadoop            = configuration
  private lazy val manner: Replacing = Replacing.of(path, hadoop)

  override def name: String = path.toString

  override def write(text: String): Unit = manner.replace(path, text.getBytes(UTF_8))
}

object StatusFile {

  /** The file of a query. Further sources of a query have files of their own. */
  def nameOf(query: QueryIdentity): String = {
    val source = query.source.replaceAll("[^A-Za-z0-9_-]", "_")
    if (query.source == "0") s"${query.id}.json" else s"${query.id}.$source.json"
  }
}

/** How a file system replaces a file as a whole. */
sealed private[status] trait Replacing extends Product with Serializable {
  def replace(path: Path, content: Array[Byte]): Unit
}

private[status] object Replacing {

  // These show a new object only once it is complete, and rename by copying.
  private val Stores = Set("s3", "s3a", "s3n", "gs", "oss", "cosn", "obs")

  def of(path: Path, hadoop: Configuration): Replacing = {
    val files  = path.getFileSystem(hadoop)
    val scheme = files.getUri.getScheme
    if (scheme == "file") Local
    else if (Stores(scheme) || files.hasPathCapability(path, CommonPathCapabilities.ABORTABLE_STREAM)) Put(files)
    else
      try Rename(FileContext.getFileContext(files.getUri, hadoop))
      // The rename of a file system that only has the older interface does not replace a file, so a write in place is the
      // only way without a gap. Readers try again if they meet a part.
      catch { case _: UnsupportedFileSystemException => Put(files) }
  }

  /** On the driver's machine. Not by Hadoop, which would keep a checksum beside each file. */
  case object Local extends Replacing {
    override def replace(path: Path, content: Array[Byte]): Unit = {
      val file  = Paths.get(path.toUri.getPath)
      val draft = file.resolveSibling(s".${file.getFileName}.draft")
      Files.createDirectories(file.getParent)
      Files.write(draft, content)
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING): Unit
    }
  }

  final case class Put(files: FileSystem) extends Replacing {
    override def replace(path: Path, content: Array[Byte]): Unit =
      Using.resource(files.create(path, true))(_.write(content))
  }

  final case class Rename(files: FileContext) extends Replacing {
    override def replace(path: Path, content: Array[Byte]): Unit = {
      val draft = new Path(path.getParent, s".${path.getName}.draft")
      val flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
      try {
        Using.resource(files.create(draft, flags, CreateOpts.createParent()))(_.write(content))
        files.rename(draft, path, Options.Rename.OVERWRITE)
      } catch {
        case NonFatal(failure) =>
          try files.delete(draft, false): Unit
          catch { case NonFatal(second) => failure.addSuppressed(second) }
          throw failure
      }
    }
  }
}
