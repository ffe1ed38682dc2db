package io.github.dynamickafka.spark.metadata

import java.nio.file.{Files, NoSuchFileException, Path}

import scala.collection.mutable.ListBuffer

import org.scalacheck.{Gen, Prop}

class PlaceholdersSuite extends munit.ScalaCheckSuite {
  private val files =
    Map("/run/token" -> "t0ken\n", "/run/lines" -> "one\r\ntwo\r\n", "/run/tricky" -> "${env:USER} $1 \\")

  private val placeholders = new Placeholders(
    env = Map("USER" -> "alice", "PASSWORD" -> "s3cret", "EMPTY" -> "").get,
    file = path => files.getOrElse(path, throw new NoSuchFileException(path))
  )

  private def resolved(value: String, more: (String, String)*): String =
    placeholders.resolve(Map("sasl.jaas.config" -> value) ++ more).map(_("sasl.jaas.config")).fold(
      p => fail(p.toString),
      identity
    )

  Seq(
    ("a value without one is left alone", "plain $ { } text", "plain $ { } text"),
    ("an environment variable is put in", "${env:PASSWORD}", "s3cret"),
    (
      "several in one value are all put in",
      "user=${env:USER} password=${env:PASSWORD};",
      "user=alice password=s3cret;"
    ),
    ("an empty variable is a value", "[${env:EMPTY}]", "[]"),
    ("a file's content is put in without its last line end", "${file:/run/token}", "t0ken"),
    ("only the last line end of a file goes", "${file:/run/lines}", "one\r\ntwo"),
    ("what is put in is not looked at again", "a ${file:/run/tricky} b", "a ${env:USER} $1 \\ b"),
    ("a placeholder of another provider is left to Kafka", "${vault:path:key} ${env:USER}", "${vault:path:key} alice"),
    ("an unfinished placeholder is text", "${env:USER", "${env:USER")
  ).foreach { case (claim, value, expected) => test(claim)(assertEquals(resolved(value), expected)) }

  test("a provider named in config.providers is Kafka's, with all its placeholders") {
    val value = "${file:/etc/kafka.properties:password} ${env:USER}"
    assertEquals(resolved(value, "config.providers" -> "vault, file"), "${file:/etc/kafka.properties:password} alice")
  }

  test("every placeholder that can't be resolved is named with its property, and no value is") {
    val problems = placeholders.resolve(
      Map("b" -> "${env:NONE} s3cret", "a" -> "${file:/none} ${env:PASSWORD}", "c" -> "${env:USER}")
    )
    assertEquals(
      problems.left.map(_.map(_.toString)),
      Left(
        Vector(
          "property a: ${file:/none}: the driver can't read the file (NoSuchFileException: /none)",
          "property b: ${env:NONE}: the driver's environment has no variable NONE"
        )
      )
    )
  }

  test("one fetch reads each file once, and the next fetch reads it anew") {
    val asked = ListBuffer.empty[String]
    val all   = new Placeholders(_ => None, path => { asked += path; s"${asked.size}" })
    val both  = Map("a" -> "${file:x}", "b" -> "${file:x}${file:y}")
    assertEquals(all.readingOnce.resolve(both), Right(Map("a" -> "1", "b" -> "12")))
    assertEquals(asked.toList, List("x", "y"))
    assertEquals(all.readingOnce.resolve(Map("a" -> "${file:x}")), Right(Map("a" -> "3")))
  }

  test("a placeholder that can't be resolved any more keeps its last value, and says so when that begins and ends") {
    var there  = Map("a" -> "1")
    val warned = ListBuffer.empty[String]
    val all    = new Placeholders(_ => None, path => there.getOrElse(path, throw new NoSuchFileException(path)))
      .remembering(text => warned += text)
    def now(text: String) = all.readingOnce.resolve(Map("x" -> text)).left.map(_.map(_.reason))
    assertEquals(now("${file:a}"), Right(Map("x" -> "1")))
    there = Map.empty
    for (_ <- 1 to 2) assertEquals(now("see ${file:a}"), Right(Map("x" -> "see 1")))
    val why = "the driver can't read the file (NoSuchFileException: "
    assertEquals(now("${file:a} ${file:b}"), Left(Vector(s"${why}b)")))
    there = Map("a" -> "2", "b" -> "3")
    assertEquals(now("${file:a} ${file:b}"), Right(Map("x" -> "2 3")))
    assertEquals(
      warned.toList,
      List(s"$${file:a} can't be resolved any more: ${why}a). Its last value stays.", "${file:a} is resolved again.")
    )
  }

  test("what is remembered of placeholders shows no value") {
    val last = LastValues.none.after("${env:PASSWORD}", Right("s3cret"))
    assertEquals(last.toString, "LastValues(${env:PASSWORD})")
  }

  test("the driver's own reads its files as UTF-8") {
    val file = Files.createTempFile("secret", ".txt")
    Files.writeString(file, "pässword\n")
    assertEquals(Placeholders.ofDriver.resolve(Map("a" -> s"$${file:$file}")), Right(Map("a" -> "pässword")))
  }

  test("a file without an end is a problem, and so is one that is no text") {
    val endless = Path.of("/dev/zero")
    assume(Files.exists(endless))
    val noText = Files.write(Files.createTempFile("secret", ".bin"), Array[Byte](-1, -2))
    for ((file, why) <- Seq(endless -> "holds more than", noText -> "MalformedInputException")) {
      val problems = Placeholders.ofDriver.resolve(Map("a" -> s"$${file:$file}")).left.getOrElse(fail("it was read"))
      assert(problems.head.reason.contains(why), problems)
    }
  }

  property("text without a placeholder comes back as it is") {
    Prop.forAll(Gen.listOf(Gen.oneOf("$", "{", "}", "env:", "\\", "a", "$1")).map(_.mkString)) { text =>
      text.contains("${env:") || resolved(text) == text
    }
  }
}
