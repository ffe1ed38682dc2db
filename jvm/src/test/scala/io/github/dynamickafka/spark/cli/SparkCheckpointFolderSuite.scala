package io.github.dynamickafka.spark.cli

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

class SparkCheckpointFolderSuite extends FunSuite {
  private val place = FunFixture[Path](_ => Files.createTempDirectory("checkpoint"), _ => ())

  private def folder(path: Path) = new SparkCheckpointFolder(path.toString, new Configuration)

  place.test("until all is written, the file that Spark reads first holds no JSON") { path =>
    val made = folder(path.resolve("new"))
    made.complete("{}") {
      assert(made.read("metadata").startsWith("dynamic-kafka adopt has not finished"))
      made.write("offsets/0", "v1")
    }
    assertEquals(made.read("metadata"), "{}")
    assertEquals(made.files("").map(_.file).sorted, Vector("metadata", "offsets/0"))
  }

  place.test("what fails leaves nothing") { path =>
    val made = folder(path.resolve("new"))
    intercept[IllegalStateException](made.complete("{}")(throw new IllegalStateException("no space")))
    assert(!made.has(""))
    assert(!Files.exists(path.resolve("new")))
  }

  place.test("a copy fails as the copy of one file does, and calls back for each that is there") { path =>
    val old = folder(path.resolve("old"))
    old.write("state/0/0/1.delta", "one")
    val entries = old.files("state")
    var done    = 0
    folder(path.resolve("new")).copy(old, entries, () => done += 1)
    assertEquals(done, 1)
    assertEquals(folder(path.resolve("new")).files("state"), entries)
    val gone = SparkCheckpointFolder.Entry("state/0/0/2.delta", 3)
    intercept[java.io.FileNotFoundException](folder(path.resolve("other")).copy(old, Vector(gone), () => ()))
  }
}
