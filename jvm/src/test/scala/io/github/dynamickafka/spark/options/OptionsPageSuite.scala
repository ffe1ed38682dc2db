package io.github.dynamickafka.spark.options

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite

class OptionsPageSuite extends FunSuite {
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("pages"), delete)

  private def delete(dir: Path): Unit =
    Files.walk(dir).sorted(java.util.Comparator.reverseOrder[Path]).forEach(file => Files.delete(file))

  test("every generated file of this tree is up to date") {
    assertEquals(OptionsPage.outdated(OptionsPage.top(Paths.get("").toAbsolutePath)).map(_._1), Nil)
  }

  folder.test("the README's table is replaced between its marks alone") { dir =>
    val readme = dir.resolve("README.md")
    Files.writeString(readme, "top\n<!-- options:begin -->\nold\n<!-- options:end -->\nbottom\n"): Unit
    val (_, text) = OptionsPage.outdated(dir).find(_._1 == readme).get
    assert(text.startsWith("top\n<!-- options:begin -->\n\n| option |"), text)
    assert(text.endsWith("|\n\n<!-- options:end -->\nbottom\n"), text)
    Files.writeString(readme, text): Unit
    assert(!OptionsPage.outdated(dir).exists(_._1 == readme), "a second run changes nothing")
  }

  folder.test("a README without marks is left alone") { dir =>
    Files.writeString(dir.resolve("README.md"), "no marks"): Unit
    assertEquals(OptionsPage.outdated(dir).map(_._1.getFileName.toString), Seq("options.md", "_options.py"))
  }
}
