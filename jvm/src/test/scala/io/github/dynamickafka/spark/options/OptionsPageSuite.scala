package io.github.dynamickafka.spark.options

import java.nio.file.{Files, Path}

import munit.FunSuite

class OptionsPageSuite extends FunSuite {
  private val Sources = "jvm/src/main/scala/io/github/dynamickafka/spark/options"
  private val folder  = FunFixture[Path](_ => Files.createTempDirectory("pages"), delete)

  private def delete(dir: Path): Unit =
    Files.walk(dir).sorted(java.util.Comparator.reverseOrder[Path]).forEach(file => Files.delete(file))

  test("each option has a section, and each name of the list leads to one") {
    val page   = OptionSections.markdown
    val list   = page.linesIterator.takeWhile(!_.startsWith("#")).mkString
    val rows   = """\[`(.+?)`\]\(#(\w+)\)""".r.findAllMatchIn(list).map(row => row.group(1) -> row.group(2)).toSeq
    val titles = """(?m)^### `(.+)`$""".r.findAllMatchIn(page).map(_.group(1)).toSeq
    assertEquals(rows.map(_._1), SourceOptions.all.map(_.key))
    assertEquals(titles.sorted, SourceOptions.all.map(_.key).sorted)
    assertEquals(rows.map(_._2), rows.map(_._1.toLowerCase.replaceAll("[^a-z]", "")))
  }

  test("each option that is declared belongs to a topic, once") {
    val folder = OptionsPage.top(Path.of("").toAbsolutePath).resolve(Sources)
    val files  = Seq("SourceOptions.scala", "MetadataOptions.scala").map(name => Files.readString(folder.resolve(name)))
    val declared =
      files.flatMap("""(?m)^  val \w+: +SourceOption\[.*\R    "(.+)"""".r.findAllMatchIn(_).map(_.group(1)))
    assert(declared.sizeIs > 30, declared)
    assertEquals(SourceOptions.topics.flatMap(_.options).map(_.key).sorted, declared.sorted)
  }

  folder.test("a page with another text is out of date, until it is written") { dir =>
    val page = dir.resolve("docs/options.md")
    Files.createDirectories(page.getParent): Unit
    Files.writeString(page, "another text"): Unit
    val (_, text) = OptionsPage.outdated(dir).find(_._1 == page).get
    assert(text.startsWith("# Options\n"), text)
    Files.writeString(page, text): Unit
    assert(!OptionsPage.outdated(dir).exists(_._1 == page), "a second run changes nothing")
  }
}
