package io.github.dynamickafka.spark.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.file.{Files, Path}

import munit.FunSuite

import io.github.dynamickafka.spark.errors.DynamicKafkaException

/** `adopt --back` of a query with two sources of ours. */
class AdoptBackOfTwoSuite extends FunSuite {
  private def offset(topic: String) =
    s"""{"version":1,"clusters":{"kafka":{"topics":{"$topic":{"stream":"$topic","partitions":{"0":[0,7,0]}}}}}}"""

  private def old: Path = {
    val folder = Files.createTempDirectory("old")
    Seq("offsets", "commits").foreach(name => Files.createDirectories(folder.resolve(name)))
    Files.writeString(folder.resolve("metadata"), """{"id":"7c1b8e5e-0000-4000-8000-000000000000"}""")
    Files.writeString(folder.resolve("offsets/0"), s"v1\n{}\n${offset("orders")}\n${offset("bills")}")
    Files.writeString(folder.resolve("commits/0"), "v1\n{}")
    folder
  }

  test("positions of the second source are not left out without a word") {
    val made    = Files.createTempDirectory("new").resolve("checkpoint")
    val request = Json.obj(
      "old"     -> old.toString,
      "new"     -> made.toString,
      "batch"   -> "0",
      "sources" -> Vector("0", "1"),
      "write"   -> true
    )
    val replies = new Replies(new PrintStream(new ByteArrayOutputStream))
    val thrown  = intercept[DynamicKafkaException] {
      val done = new AdoptCommand(Request.read(request.toString), replies).run
      fail(s"$done, and ${Files.readString(made.resolve("offsets/0"))}")
    }
    assert(!Files.exists(made), thrown)
  }

  test("what was removed is named, and how it is forgotten") {
    def cluster(more: String) = s"""{"topics":{"orders":{"stream":"s",$more"partitions":{"0":[0,7,0]}}}}"""
    val two = s"""{"version":1,"clusters":{"eu":${cluster("")},"us":${cluster(""""removed":5,"drain":{},""")}}}"""
    val why =
      intercept[DynamicKafkaException](AdoptCommand.back(deferred = false, Vector.empty)(Vector(two))).getMessage
    assert(why.contains("To forget what was removed (us), run the query with removedClusterRetention=0ms"), why)
  }
}
