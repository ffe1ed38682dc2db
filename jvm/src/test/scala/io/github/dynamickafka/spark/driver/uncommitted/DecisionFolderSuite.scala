package io.github.dynamickafka.spark.driver.uncommitted

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.LocalFileSystem

/** The folder of decisions in the checkpoint, on a local disk. */
class DecisionFolderSuite extends FunSuite {
  private val place = FunFixture[Path](_ => Files.createTempDirectory("decisions"), _ => ())

  private def folder(place: Path): DecisionFolder = new DecisionFolder(place.toUri.toString, new Configuration)

  private def files(place: Path): Vector[String] =
    Files.list(
      place.resolve("deferred")
    ).iterator.asScala.map(_.getFileName.toString).filterNot(_.startsWith(".")).toVector

  place.test("nothing is there before the first decision, and nothing is made by looking") { place =>
    assertEquals(folder(place).read(), None)
    assertEquals(Files.list(place).count, 0L)
  }

  place.test("what was written last is read by each later start, and what it replaces is taken away") { place =>
    for (number <- 1 to 12) {
      folder(place).write(s"decision $number")
      assertEquals(folder(place).read(), Some(s"decision $number"))
      assertEquals(files(place), Vector(number.toString))
    }
  }

  place.test("a driver that was killed while it wrote leaves what was decided before") { place =>
    folder(place).write("before")
    Files.writeString(place.resolve("deferred").resolve(".2.0a1b.tmp"), "hal")
    assertEquals(folder(place).read(), Some("before"))
    folder(place).write("after")
    assertEquals(folder(place).read(), Some("after"))
  }

  place.test("a driver that was killed before it took the old one away leaves the new one to count") { place =>
    folder(place).write("before")
    Files.writeString(place.resolve("deferred").resolve("2"), "after")
    assertEquals(folder(place).read(), Some("after"))
  }

  place.test("a decision that can't be kept is an error") { place =>
    Files.writeString(place.resolve("deferred"), "a file in the folder's place")
    intercept[IOException](folder(place).write("lost"))
  }

  place.test("what another run has written since this one looked or wrote is not replaced") { place =>
    val (looked, wrote) = (folder(place), folder(place))
    looked.read(): Unit
    wrote.write("old")
    folder(place).write("new")
    for (late <- Seq(looked, wrote)) intercept[IOException](late.write("late"))
    assertEquals(folder(place).read(), Some("new"))
  }

  place.test("a write of its own that failed once it was there holds up no later one") { place =>
    val local = new Configuration
    local.set("fs.file.impl", classOf[LostRename].getName)
    local.setBoolean("fs.file.impl.disable.cache", true)
    val here = new DecisionFolder(place.toUri.toString, local)
    here.read(): Unit
    intercept[IOException](here.write("lost"))
    here.write("kept")
    assertEquals(here.read(), Some("kept"))
  }

  place.test("a write that failed before anything was there replaces nothing that another run has written since") {
    place =>
      val local = new Configuration
      local.set("fs.file.impl", classOf[FailedRename].getName)
      local.setBoolean("fs.file.impl.disable.cache", true)
      val here = new DecisionFolder(place.toUri.toString, local)
      here.read(): Unit
      intercept[IOException](here.write("lost"))
      folder(place).write("new")
      intercept[IOException](here.write("late"))
      assertEquals(folder(place).read(), Some("new"))
  }
}

/** The first rename fails before it is done. */
class FailedRename extends LocalFileSystem {
  private var failed = false

  override def rename(from: org.apache.hadoop.fs.Path, to: org.apache.hadoop.fs.Path): Boolean = {
    if (!failed) {
      failed = true
      throw new IOException("the store does not answer")
    }
    super.rename(from, to)
  }
}

/** The answer to the first rename is lost. */
class LostRename extends LocalFileSystem {
  private var lost = false

  override def rename(from: org.apache.hadoop.fs.Path, to: org.apache.hadoop.fs.Path): Boolean = {
    val done = super.rename(from, to)
    if (!lost) {
      lost = true
      throw new IOException("the answer to a rename was lost")
    }
    done
  }
}
