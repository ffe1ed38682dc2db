package io.github.dynamickafka.spark

import java.util.{List => JList, Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

/** The public value of one cluster. The meaning of its fields is tested with `TopologyResolver`. */
class ClusterMetadataSuite extends munit.FunSuite {
  private val plain =
    new ClusterMetadata(JSet.of("b", "a"), JMap.of("bootstrap.servers", "b1:9092", "sasl.jaas.config", "s3cret"))

  test("without further calls it continues nothing, and nothing of it is paused") {
    assertEquals(plain.getContinues, JSet.of[String]())
    assertEquals((plain.isPaused, plain.getPausedTopics), (false, JSet.of[String]()))
  }

  test("of several calls all earlier ids count, each once and in order") {
    val all = plain.continuing("eu-1").continuing(JList.of("eu-0", "eu-0"))
    assertEquals(all.getContinues.asScala.toVector, Vector("eu-0", "eu-1"))
    assertEquals(all, plain.continuing(JList.of("eu-1", "eu-0")))
  }

  test("of several calls all paused topics count, and a whole cluster remains paused") {
    assertEquals(plain.pausedTopics(JSet.of("b")).pausedTopics(JSet.of("a")).getPausedTopics, JSet.of("a", "b"))
    Seq(plain.paused().pausedTopics(JSet.of("a")), plain.pausedTopics(JSet.of("a")).paused()).foreach { all =>
      assertEquals(all, plain.paused())
      assertEquals((all.isPaused, all.getPausedTopics), (true, JSet.of[String]()))
    }
  }

  test("what is added leaves the rest as it was, in any order") {
    val one = plain.withStartingOffsets("earliest").withEndingOffsets("latest").continuing("eu-0")
    val two = plain.continuing("eu-0").withEndingOffsets("latest").withStartingOffsets("earliest")
    assertEquals(one.pausedTopics(JSet.of("a")), two.pausedTopics(JSet.of("a")))
    assertEquals(one.paused(), two.paused())
    assertEquals(plain.paused().continuing("eu-0"), plain.continuing("eu-0").paused())
    assertEquals(plain.paused().withStartingOffsets("earliest").isPaused, true)
  }

  test("values that differ in one field alone are not equal, and equal ones have one hash") {
    val different = Vector(
      plain,
      plain.continuing("eu-0"),
      plain.continuing("eu-1"),
      plain.paused(),
      plain.pausedTopics(JSet.of("a")),
      plain.pausedTopics(JSet.of("a", "b"))
    )
    assertEquals(different.toSet.size, different.size)
    assertEquals(plain.continuing("eu-0").paused().hashCode, plain.paused().continuing("eu-0").hashCode)
  }

  test("the text form shows the address and each field that is given, and no other property's value") {
    assertEquals(
      plain.toString,
      "ClusterMetadata(topics=[a, b], bootstrapServers=b1:9092, properties=[sasl.jaas.config])"
    )
    assertEquals(
      plain.withStartingOffsets("earliest").withEndingOffsets("latest").continuing("eu-0").paused().toString,
      "ClusterMetadata(topics=[a, b], bootstrapServers=b1:9092, properties=[sasl.jaas.config], " +
        "startingOffsets=earliest, endingOffsets=latest, continues=[eu-0], paused=true)"
    )
    assert(plain.pausedTopics(JSet.of("a")).toString.endsWith(", paused=[a])"))
    assertEquals(new ClusterMetadata(JSet.of(), JMap.of()).toString, "ClusterMetadata(topics=[], properties=[])")
  }

  test("ids that are null or empty, and topics that are null, are refused") {
    intercept[NullPointerException](plain.continuing(null: String))
    intercept[NullPointerException](plain.continuing(java.util.Arrays.asList("eu-0", null)))
    intercept[IllegalArgumentException](plain.continuing(""))
    intercept[IllegalArgumentException](plain.continuing(JList.of("eu-0", "")))
    intercept[NullPointerException](plain.pausedTopics(java.util.Collections.singleton(null)))
  }

  test("a later change of what was passed, or of what is returned, changes nothing") {
    val ids    = new java.util.ArrayList[String](JList.of("eu-0"))
    val topics = new java.util.HashSet[String](JSet.of("a"))
    val value  = plain.continuing(ids).pausedTopics(topics)
    ids.clear()
    topics.clear()
    assertEquals((value.getContinues, value.getPausedTopics), (JSet.of("eu-0"), JSet.of("a")))
    intercept[UnsupportedOperationException](value.getContinues.clear())
    intercept[UnsupportedOperationException](value.getPausedTopics.clear())
  }
}
