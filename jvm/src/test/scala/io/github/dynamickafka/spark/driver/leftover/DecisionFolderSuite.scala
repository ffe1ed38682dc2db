package io.github.dynamickafka.spark.driver.leftover

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

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
    folder(place).clear()
    assertEquals(Files.list(place).count, 0L)
  }

  place.test("what was written last is read by each later start, and what it replaces is taken away") { place =>
    for (number <- 1 to 12) {
      folder(place).write(s"decision $number")
      assertEquals(folder(place).read(), Some(s"decision $number"))
      assertEquals(files(place), Vector(number.toString))
    }
    folder(place).clear()
    assertEquals((folder(place).read(), files(place)), (None, Vector.empty))
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
}
