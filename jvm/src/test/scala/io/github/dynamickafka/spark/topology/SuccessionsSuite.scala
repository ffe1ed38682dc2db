package io.github.dynamickafka.spark.topology

import scala.collection.immutable.{SortedMap, SortedSet}

import org.scalacheck.{Gen, Prop}

import io.github.dynamickafka.spark.ids.ClusterId

class SuccessionsSuite extends munit.ScalaCheckSuite {
  private type AskOutcome = Seq[(String, Seq[String])]

  private def ids(names: Iterable[String]): SortedSet[ClusterId] = names.map(ClusterId(_)).to(SortedSet)

  private def of(said: AskOutcome): Successions =
    new Successions(SortedMap.from(said.map { case (id, earlier) => ClusterId(id) -> ids(earlier) }))

  private def earlier(said: (String, Seq[String])*): Map[String, String] =
    of(said).earlier.map { case (id, ids) => id.value -> ids.mkString(" ") }.toMap

  private def problems(said: (String, Seq[String])*): Vector[String] = of(said).problems.map(_.text)

  private def rivals(clusters: String, old: String): String =
    s"clusters $clusters continue $old and do not continue each other, so it is unclear which of them takes over. Let " +
      s"the newer one continue the other as well, or let only one of them continue $old"

  private def circle(clusters: String, steps: String): String =
    s"clusters $clusters continue each other in a circle ($steps). Remove `continues` from the oldest of them"

  test("earlier ids are followed through listed clusters, and end at ids that are not listed") {
    assertEquals(
      earlier("d" -> Seq("c"), "c"  -> Seq("b", "x"), "b" -> Seq("a"), "e" -> Nil),
      Map("d"     -> "a b c x", "c" -> "a b x", "b"       -> "a", "e"      -> "")
    )
  }

  test("a row of successors is no problem, whether each names the one before it or all of them") {
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("b"), "d" -> Seq("c"), "a" -> Nil), Vector.empty)
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("b", "a"), "d" -> Seq("a", "b", "c")), Vector.empty)
  }

  test("one cluster may continue several that have nothing to do with each other") {
    assertEquals(problems("c" -> Seq("a", "b"), "a" -> Nil, "b" -> Nil), Vector.empty)
  }

  test("a circle is reported once, with its steps, and without those that lead into it") {
    assertEquals(problems("a" -> Seq("b"), "b" -> Seq("a")), Vector(circle("a, b", "a continues b, b continues a")))
    assertEquals(
      problems("a" -> Seq("b"), "b" -> Seq("c"), "c" -> Seq("a", "x"), "d" -> Seq("a")),
      Vector(circle("a, b, c", "a continues b, b continues c, c continues a"))
    )
  }

  test("two circles are two problems") {
    assertEquals(problems("a" -> Seq("b"), "b" -> Seq("a"), "c" -> Seq("d"), "d" -> Seq("c")).size, 2)
  }

  test("two that continue one id are rivals, whether it is listed or not") {
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("a")), Vector(rivals("b, c", "a")))
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("a"), "a" -> Nil), Vector(rivals("b, c", "a")))
  }

  test("rivals are reported once, with all ids that they have in common") {
    assertEquals(
      problems("c" -> Seq("a", "b"), "d" -> Seq("a", "b"), "e" -> Seq("a", "b")),
      Vector(rivals("c, d, e", "a, b"))
    )
  }

  test("one that names an id beside a whole row is a rival of each in the row that names it") {
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("a", "b"), "x" -> Seq("a")), Vector(rivals("b, c, x", "a")))
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("b"), "x" -> Seq("a")), Vector(rivals("b, x", "a")))
  }

  test("a cluster that both rivals continue is no rival itself") {
    assertEquals(problems("b" -> Seq("a"), "c" -> Seq("a", "b"), "x" -> Seq("a", "b")), Vector(rivals("c, x", "a, b")))
  }

  test("very many are reported in a few words") {
    val many = Seq.tabulate(1000)(n => f"c$n%04d" -> Seq("a"))
    assertEquals(problems(many: _*), Vector(rivals("c0000, c0001, c0002, c0003, c0004 and 995 more", "a")))
    val round = Seq.tabulate(200)(n => f"c$n%04d" -> Seq(f"c${(n + 1) % 200}%04d"))
    assert(problems(round: _*).mkString.length < 500)
  }

  test("a row of a thousand is followed") {
    val row = Seq.tabulate(1000)(n => f"c${n + 1}%04d" -> Seq(f"c$n%04d"))
    assertEquals(of(row).earlier(ClusterId("c1000")).size, 1000)
    assertEquals(problems(row: _*), Vector.empty)
  }

  private val anything: Gen[AskOutcome] = Gen.listOf(
    Gen.zip(Gen.oneOf("a", "b", "c", "d", "e"), Gen.someOf("a", "b", "c", "d", "e", "x", "y").map(_.toSeq))
  ).map(said => SortedMap.from(said).toSeq.map { case (id, earlier) => id -> earlier.filterNot(_ == id) })

  property("there is a problem exactly if a cluster comes to itself, or two come to one id and neither to the other") {
    Prop.forAll(anything) { said =>
      val direct                                           = said.toMap
      def from(id: String, seen: Set[String]): Set[String] = direct.getOrElse(id, Nil).foldLeft(seen) { (found, old) =>
        if (found(old)) found else from(old, found + old)
      }
      val all   = direct.keySet.map(id => id -> from(id, Set.empty)).toMap
      val round = all.exists { case (id, old) => old(id) }
      val apart = all.exists { case (one, its) =>
        all.exists { case (other, theirs) =>
          one != other && !its(other) && !theirs(one) && its.intersect(theirs).nonEmpty
        }
      }
      assertEquals(of(said).problems.nonEmpty, round || apart)
      assertEquals(earlier(said: _*), all.map { case (id, old) => id -> old.toSeq.sorted.mkString(" ") })
    }
  }
}
