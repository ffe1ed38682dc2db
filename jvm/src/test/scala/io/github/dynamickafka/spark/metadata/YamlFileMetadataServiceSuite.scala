package io.github.dynamickafka.spark.metadata

import java.nio.file.{Files, Path, StandardCopyOption}
import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, YamlFileMetadataService}
import io.github.dynamickafka.spark.errors.Condition

class YamlFileMetadataServiceSuite extends munit.FunSuite with FailureAssertions {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("yaml"), _ => ())

  private def text(stream: String, more: String = ""): String =
    s"- streamId: $stream\n  clusterMetadataList:\n  - {clusterId: eu-1, bootstrapServers: 'b:1', topics: [t]$more}\n"

  private def write(file: Path, text: String): Path = {
    val next = file.resolveSibling("next")
    Files.writeString(next, text)
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING)
  }

  private def ids(service: KafkaMetadataService): Set[String] = service.getAllStreams.asScala.map(_.getStreamId).toSet

  folder.test("each question reads the file anew, and a snapshot keeps to one state") { folder =>
    val file     = write(folder.resolve("streams.yaml"), text("a"))
    val service  = new YamlFileMetadataService(file.toString)
    val snapshot = service.snapshot()
    write(file, text("b", ", active: false"))
    assertEquals(ids(service), Set("b"))
    assertEquals(service.isClusterActive("eu-1"), false)
    assertEquals(ids(snapshot), Set("a"))
    assertEquals(snapshot.isClusterActive("eu-1"), true)
  }

  folder.test("a config map's file is followed when its link is swapped") { folder =>
    def version(name: String, content: String): Path = {
      val at = Files.createDirectory(folder.resolve(name))
      Files.writeString(at.resolve("streams.yaml"), content)
      Path.of(name)
    }
    Files.createSymbolicLink(folder.resolve("..data"), version("v1", text("a")))
    Files.createSymbolicLink(folder.resolve("streams.yaml"), Path.of("..data", "streams.yaml"))
    val service = new YamlFileMetadataService(folder.resolve("streams.yaml").toString)
    assertEquals(ids(service), Set("a"))
    Files.createSymbolicLink(folder.resolve("..data_tmp"), version("v2", text("b")))
    Files.move(folder.resolve("..data_tmp"), folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE)
    assertEquals(ids(service), Set("b"))
  }

  folder.test("streams are described by id, and a cluster that is not in the file is inactive") { folder =>
    val service = new YamlFileMetadataService(JMap.of("path", write(folder.resolve("f"), text("a")).toString))
    assertEquals(service.describeStreams(JList.of("a", "nope")).keySet, java.util.Set.of("a"))
    assertEquals((service.isClusterActive("eu-1"), service.isClusterActive("eu-2")), (true, false))
    service.close()
  }

  folder.test("a path with a scheme is read through Hadoop") { folder =>
    val file = write(folder.resolve("streams.yaml"), text("a"))
    assertEquals(ids(new YamlFileMetadataService(file.toUri.toString)), Set("a"))
    val missing = new YamlFileMetadataService(folder.resolve("none").toUri.toString)
    assert(failing(Condition.InvalidMetadata)(missing.getAllStreams).detail.contains("FileNotFoundException"))
  }

  folder.test("a problem names the file, and how many there are") { folder =>
    val file = write(folder.resolve("streams.yaml"), text("a", ", active: 1, other: 2"))
    assertEquals(
      failing(Condition.InvalidMetadata)(new YamlFileMetadataService(file.toString).getAllStreams).detail,
      s"The metadata file $file can't be used (2 problems): line 3, stream a, field clusterMetadataList[0].other: there is no " +
        "such field; allowed are bootstrapServers, topics, clusterId, properties, startingOffsets, endingOffsets, active, " +
        "continues, paused; " +
        "line 3, stream a, field clusterMetadataList[0].active: expected true or false, found a number."
    )
  }

  folder.test("a question ends the text without a full stop") { folder =>
    val file = write(folder.resolve("streams.yaml"), text("a").replace("topics", "topcis"))
    val said = failing(Condition.InvalidMetadata)(new YamlFileMetadataService(file.toString).getAllStreams).detail
    assert(said.endsWith("field clusterMetadataList[0].topcis: there is no such field; did you mean topics?"), said)
  }

  folder.test("a file that can't be read is named: missing, a folder, no UTF-8") { folder =>
    val latin = Files.write(folder.resolve("latin"), Array[Byte](35, -28, 10))
    Seq(
      folder.resolve("none") -> "NoSuchFileException",
      folder                 -> "IOException: Is a directory",
      latin                  -> "MalformedInputException"
    ).foreach { case (file, expected) =>
      val failure = failing(Condition.InvalidMetadata)(new YamlFileMetadataService(file.toString).getAllStreams)
      assert(failure.detail.startsWith(s"The metadata file $file can't be read: "), failure.detail)
      assert(failure.detail.contains(expected), failure.detail)
    }
  }

  folder.test("a byte order mark is no part of the text") { folder =>
    assertEquals(ids(new YamlFileMetadataService(write(folder.resolve("f"), "\uFEFF" + text("a")).toString)), Set("a"))
  }

  test("by name it needs a path") {
    failing(Condition.InvalidOption)(new YamlFileMetadataService(JMap.of[String, String]()))
  }
}
