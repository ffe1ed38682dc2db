package io.github.dynamickafka.spark.status

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, NoSuchFileException, Path => LocalPath}
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileContext, Path, RawLocalFileSystem}

class StatusFileSuite extends FunSuite {
  private val query = QueryIdentity("q-1", "r-1", None, "0")

  private val folder = FunFixture[LocalPath](_ => Files.createTempDirectory("status"), _ => ())

  private def names(folder: LocalPath): Set[String] =
    Files.list(folder).iterator.asScala.map(_.getFileName.toString).toSet

  folder.test("on the driver's machine a file is replaced, and nothing is left beside it") { folder =>
    val below = folder.resolve("a folder/that is not there")
    val file  = new StatusFile(s"file:$below", query, new Configuration)
    for (text <- Seq("a longer one", "short ✓")) {
      file.write(text)
      assertEquals(Files.readString(below.resolve("q-1.json")), text)
    }
    assertEquals(names(below), Set("q-1.json"))
  }

  folder.test("on the driver's machine nobody reads a part, or finds no file") { folder =>
    val content = Seq("a", "b").map(letter => letter * 300000)
    val file    = folder.resolve("q.json")
    Replacing.Local.replace(new Path(file.toUri), content.head.getBytes(UTF_8))
    readMeanwhile(file, Replacing.Local, new Path(file.toUri), content)(missing => throw missing)
  }

  /** Replaces a file many times, and reads it all the while. */
  private def readMeanwhile(local: LocalPath, manner: Replacing, file: Path, content: Seq[String])(
      missing: NoSuchFileException => String
  ): Unit = {
    val writing = new AtomicBoolean(true)
    val writer  = new Thread(() => {
      for (turn <- 1 to 20) manner.replace(file, content(turn % 2).getBytes(UTF_8))
      writing.set(false)
    })
    writer.start()
    while (writing.get) {
      val seen =
        try Files.readString(local)
        catch { case gone: NoSuchFileException => missing(gone) }
      assert(seen.isEmpty || content.contains(seen), s"${seen.length} characters")
    }
    writer.join()
    assertEquals(Files.readString(local), content.head)
  }

  folder.test("a file system that renames has it beside first: who reads meanwhile never reads a part") { folder =>
    val file    = new Path(folder.resolve("below/q.json").toUri)
    val manner  = Replacing.Rename(FileContext.getLocalFSFileContext)
    val content = Seq("a", "b").map(letter => letter * 300000)
    manner.replace(file, content.head.getBytes(UTF_8))
    // Hadoop's local files are not there for a moment, other than those of HDFS.
    readMeanwhile(folder.resolve("below/q.json"), manner, file, content)(_ => "")
    assertEquals(names(folder.resolve("below")).filterNot(_.endsWith(".crc")), Set("q.json"))
  }

  folder.test("a file system that can't replace by a rename is written to in place") { folder =>
    val hadoop = new Configuration
    hadoop.set("fs.odd.impl", classOf[StatusFileSuite.OddFiles].getName)
    val file = new StatusFile(s"odd:${folder.toUri.getPath}", query, hadoop)
    for (text <- Seq("a longer one", "short")) {
      file.write(text)
      assertEquals(Files.readString(folder.resolve("q-1.json")), text)
    }
  }

  folder.test("a file system that is not known, or not there, is an exception each time, for whoever writes") {
    folder =>
      val unknown = new StatusFile("nowhere://host/folder", query, new Configuration)
      for (_ <- 1 to 2) intercept[java.io.IOException](unknown.write("x"))
      Files.writeString(folder.resolve("a-file"), "")
      val below = new StatusFile(folder.resolve("a-file/folder").toUri.toString, query, new Configuration)
      intercept[java.io.IOException](below.write("x"))
  }

  test("each further source of a query has a file of its own") {
    assertEquals(StatusFile.nameOf(query), "q-1.json")
    assertEquals(StatusFile.nameOf(query.copy(source = "1")), "q-1.1.json")
    assertEquals(StatusFile.nameOf(query.copy(source = "a/../b")), "q-1.a____b.json")
  }
}

object StatusFileSuite {

  /** A file system with Hadoop's older interface alone, whose rename does not replace. */
  final class OddFiles extends RawLocalFileSystem {
    override def getScheme: String = "odd"
    override def getUri: URI       = URI.create("odd:///")

    override def rename(from: Path, to: Path): Boolean = throw new UnsupportedOperationException("rename")
  }
}
