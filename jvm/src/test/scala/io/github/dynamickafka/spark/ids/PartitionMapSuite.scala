package io.github.dynamickafka.spark.ids

import scala.collection.immutable.SortedMap

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.fakes.Offsets.id

class PartitionMapSuite extends ScalaCheckSuite {
  // So few names that clusters and topics repeat, and some that look alike once they are joined.
  private val ids: Gen[PartitionId] =
    Gen.zip(Gen.oneOf("a", "b", "a-b"), Gen.oneOf("c", "b-c", "d"), Gen.choose(0, 3)).map { case (c, t, p) =>
      id(c, t, p)
    }

  private val maps: Gen[Map[PartitionId, Long]] = Gen.mapOf(Gen.zip(ids, Gen.choose(0L, 9L)))

  property("it is the same map as any other of its values, sorted") {
    forAll(maps) { values =>
      val kept = PartitionMap.from(values)
      assertEquals[Any, Any](kept, values)
      assertEquals((kept.size, kept.isEmpty), (values.size, values.isEmpty))
      assertEquals(kept.keysIterator.toVector, values.keys.toVector.sorted)
      assertEquals(kept.valuesIterator.toVector, values.toVector.sortBy(_._1).map(_._2))
    }
  }

  property("one value more, or one less, is what it is of any map; nothing empty is kept") {
    forAll(maps, ids) { (values, one) =>
      val kept = PartitionMap.from(values)
      assertEquals[Any, Any](kept.updated(one, 11L), values.updated(one, 11L))
      assertEquals[Any, Any](kept.removed(one), values.removed(one))
      assertEquals(kept.removed(one).topics.count(_._3.isEmpty), 0)
      assertEquals(kept.removed(one).clusters.keySet.toSet, values.removed(one).keySet.map(_.cluster))
    }
  }

  property("those of a cluster, and of a topic, are found") {
    forAll(maps, ids) { (values, one) =>
      val kept = PartitionMap.from(values)
      assertEquals[Any, Any](kept.of(one.cluster), values.filter(_._1.cluster == one.cluster))
      val topic = values.collect { case (PartitionId(one.cluster, one.topic, number), value) => number -> value }
      assertEquals(kept.topic(one.cluster, one.topic), topic.to(SortedMap))
    }
  }

  property("a topic that a change empties goes, and its cluster with the last one") {
    forAll(maps) { values =>
      val even = PartitionMap.from(values).mapTopics((_, _, here) => here.filter(_._2 % 2 == 0))
      assertEquals[Any, Any](even, values.filter(_._2 % 2 == 0))
      assertEquals(even.clusters.keySet.toSet, values.filter(_._2 % 2 == 0).keySet.map(_.cluster))
    }
  }
}
