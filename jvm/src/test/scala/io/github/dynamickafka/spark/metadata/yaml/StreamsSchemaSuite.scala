package io.github.dynamickafka.spark.metadata.yaml

import java.nio.file.{Files, Path, Paths}
import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.snakeyaml.engine.v2.api.{Load, LoadSettings}

import io.github.dynamickafka.spark.options.OptionsPage
import io.github.dynamickafka.spark.topology.RefusedProperties

/** What `docs/reference/streams.schema.json` rests on. `tests/schema` tries the schema itself on the same samples. */
class StreamsSchemaSuite extends munit.FunSuite with StreamsFiles {
  private lazy val top: Path = OptionsPage.top(Paths.get("").toAbsolutePath)

  private lazy val definitions: JsonNode =
    new ObjectMapper().readTree(top.resolve("docs/reference/streams.schema.json").toFile).get("definitions")

  private lazy val samples: JMap[String, AnyRef] =
    new Load(LoadSettings.builder().build()).loadFromString(Files.readString(top.resolve("tests/schema/samples.yaml")))
      .asInstanceOf[JMap[String, AnyRef]]

  private def texts(kind: String): Vector[String] =
    samples.get(kind).asInstanceOf[JMap[String, String]].values.asScala.toVector ++
      samples.get(s"$kind fields").asInstanceOf[JList[String]].asScala.map(fields(_))

  private def names(node: JsonNode): Vector[String] = node.elements.asScala.map(_.asText).toVector

  test("the samples that are good are read, and all others refused") {
    assert(texts("good").sizeIs > 15 && texts("bad").sizeIs > 40)
    texts("good").foreach(parsed)
    (texts("bad") ++ texts("blind")).foreach(text => assert(StreamsFile.parse(text).isLeft, text))
  }

  test("the schema has the fields that the reader takes, and requires the same") {
    Seq("- {}" -> "stream", "- {streamId: s, clusterMetadataList: [{}]}" -> "cluster").foreach { case (text, name) =>
      val required = names(definitions.get(name).get("required"))
      assertEquals(problems(text).map(_.replaceAll(".*[ .](\\w+): it is missing.*", "$1")), required)
      val unknown = problems(text.replace("{}", "{colour: red}")).filter(_.contains("allowed are"))
      val allowed = unknown.head.split("allowed are ")(1).split(", ").toSet
      assertEquals(definitions.get(name).get("properties").fieldNames.asScala.toSet, allowed)
    }
  }

  test("the schema refuses the properties that no cluster may set") {
    val refused = names(definitions.get("properties").get("propertyNames").get("not").get("enum")).toSet
    assertEquals(refused, RefusedProperties.reasons.keySet + "bootstrap.servers")
  }
}
