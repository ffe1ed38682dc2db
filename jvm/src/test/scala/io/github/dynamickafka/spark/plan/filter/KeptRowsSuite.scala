package io.github.dynamickafka.spark.plan.filter

import munit.{Location, ScalaCheckSuite}
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll

import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.plan.filter.Comparison._
import io.github.dynamickafka.spark.plan.filter.NumberColumn.{Offset, Partition, Timestamp}
import io.github.dynamickafka.spark.plan.filter.RowFilter.{
  All,
  Always,
  AnyOf,
  Never,
  Not,
  Null,
  OfNumber,
  OfText,
  Unknown
}
import io.github.dynamickafka.spark.plan.filter.TextColumn.{Cluster, Stream, Topic}

/** What of a partition a filter may keep. */
class KeptRowsSuite extends ScalaCheckSuite {
  import KeptRowsSuite._

  override protected def scalaCheckTestParameters: org.scalacheck.Test.Parameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(5000)

  property("no row that the filter keeps is ever left out, by partition nor by topic") {
    forAll(filters(3), rows) { (filter, row) =>
      val kept   = new KeptRows(filter)
      val wanted = evaluated(filter, row).contains(true)
      Prop(!wanted || Seq(Some(row.partition), None).forall { partition =>
        kept.in(row.place(partition)).exists(span =>
          span.first <= row.offset && row.offset <= span.last && span.since <= row.micros &&
            span.sinceMillis.forall(_ * 1000 <= row.micros)
        )
      })
    }
  }

  property("a filter that is said to leave nothing out leaves nothing out") {
    forAll(filters(3), rows) { (filter, row) =>
      val kept = new KeptRows(filter)
      kept.fewer || kept.in(row.place(Some(row.partition))).exists { span =>
        span.copy(since = Long.MinValue) == Span() && span.sinceMillis.isEmpty
      }
    }
  }

  private def keeps(name: String, filter: RowFilter)(expected: Option[Span], partition: Int = 0)(implicit
      location: Location
  ): Unit = test(name) {
    assertEquals(new KeptRows(filter).in(place(Some(partition))), expected)
    assertEquals(new KeptRows(filter).fewer, true)
  }

  private def useless(name: String, filter: RowFilter)(implicit location: Location): Unit = test(name) {
    assertEquals(new KeptRows(filter).in(place(Some(0))), Span.whole)
    assertEquals(new KeptRows(filter).fewer, false)
  }

  private val eu = OfText(Cluster, TextTest.Compared(Equal, "eu"))
  private val us = OfText(Cluster, TextTest.Compared(Equal, "us"))

  keeps("another cluster is left out", us)(None)
  keeps("the cluster that is named is read", eu)(Span.whole)
  keeps("what is not in a list is left out", AnyOf(Vector(us, OfText(Cluster, TextTest.Compared(Equal, "asia")))))(None)
  keeps("NOT IN leaves out what is in the list", Not(AnyOf(Vector(us, eu))))(None)
  keeps("NOT IN a list with a null is never true", Not(AnyOf(Vector(us, Null))))(None)
  keeps("a comparison with null is never true, nor is its opposite", Not(Null))(None)
  keeps("a beginning that is another one", OfText(Topic, TextTest.BeginsWith("ref")))(None)
  keeps("another stream", OfText(Stream, TextTest.Compared(NotEqual, "s")))(None)
  keeps("another partition", OfNumber(Partition, Greater, 0))(None)
  keeps("a partition further on", OfNumber(Partition, Greater, 0))(Span.whole, partition = 1)
  keeps("offsets between two", All(Vector(OfNumber(Offset, AtLeast, 5), OfNumber(Offset, Less, 9))))(Some(Span(5, 8)))
  keeps("offsets that exclude each other", All(Vector(OfNumber(Offset, Greater, 5), OfNumber(Offset, AtMost, 5))))(None)
  keeps(
    "alternatives are read from the first to the last",
    AnyOf(Vector(OfNumber(Offset, Equal, 3), OfNumber(Offset, Equal, 7)))
  )(
    Some(Span(3, 7))
  )
  keeps("an offset below all others", OfNumber(Offset, Less, Long.MinValue))(None)
  keeps("an offset above all others", OfNumber(Offset, Greater, Long.MaxValue))(None)
  keeps("a least time", OfNumber(Timestamp, AtLeast, 5000))(Some(Span(since = 5000)))
  keeps("NOT before a time", Not(OfNumber(Timestamp, Less, 5000)))(Some(Span(since = 5000)))
  keeps(
    "of alternatives the earlier time counts",
    AnyOf(Vector(OfNumber(Timestamp, Equal, 7), OfNumber(Timestamp, Greater, 9)))
  )(
    Some(Span(since = 7))
  )
  keeps(
    "each alternative with its own cluster",
    AnyOf(Vector(
      All(Vector(us, OfNumber(Offset, Less, 10))),
      All(Vector(eu, OfNumber(Offset, AtLeast, 7)))
    ))
  )(Some(Span(first = 7)))
  keeps(
    "what is not understood beside what is",
    All(Vector(Unknown, OfNumber(Offset, AtLeast, 7)))
  )(Some(Span(first = 7)))
  keeps("never", Never)(None)

  useless("a latest time", OfNumber(Timestamp, AtMost, 5000))
  useless("another time than one", OfNumber(Timestamp, NotEqual, 5000))
  useless("an offset that one has not", OfNumber(Offset, NotEqual, 5))
  useless("an alternative that is not understood", AnyOf(Vector(us, Unknown)))
  useless("NOT of what is not understood", Not(All(Vector(eu, Unknown))))
  useless("always", Always)
  useless("nothing at all", All(Vector.empty))

  test("a time before 1970 is none, and others are rounded down to milliseconds") {
    assertEquals(new KeptRows(OfNumber(Timestamp, AtLeast, -1)).fewer, false)
    assertEquals(Span(since = -1).sinceMillis, None)
    assertEquals(Span(since = 0).sinceMillis, Some(0L))
    assertEquals(Span(since = 1999).sinceMillis, Some(1L))
  }

  test("texts are compared as bytes of UTF-8: an emoji comes after all of the basic plane") {
    val emoji = "\ud83d\ude00"
    assert(TextTest.Compared(Greater, "\uffff").holds(emoji))
    assert(emoji < "\uffff", "in Java it comes before")
    assert(TextTest.Compared(Equal, "?").holds("\ud800"), "a lone surrogate is written as ?")
  }
}

object KeptRowsSuite {
  def place(partition: Option[Int]): Place = Place(ClusterId("eu"), StreamId("s"), "orders", partition)

  final case class Row(cluster: String, stream: String, topic: String, partition: Int, offset: Long, micros: Long) {
    def place(partition: Option[Int]): Place = Place(ClusterId(cluster), StreamId(stream), topic, partition)
  }

  private val names   = Gen.oneOf("", "a", "ab", "b")
  private val numbers = Gen.oneOf(Gen.choose(-2L, 5L), Gen.oneOf(Long.MinValue, Long.MaxValue, 1500L, 2000L))

  val rows: Gen[Row] = for {
    cluster   <- names
    stream    <- names
    topic     <- names
    partition <- Gen.choose(0, 3)
    offset    <- Gen.oneOf(Gen.choose(0L, 5L), Gen.const(Long.MaxValue))
    micros    <- Gen.oneOf(-1000L, 0L, 1000L, 2000L, 3000L, Long.MaxValue)
  } yield Row(cluster, stream, topic, partition, offset, micros)

  private val comparisons = Gen.oneOf(Equal, NotEqual, Less, AtMost, Greater, AtLeast)
  private val tests       = Gen.oneOf(
    Gen.zip(comparisons, names).map { case (comparison, name) => TextTest.Compared(comparison, name) },
    names.map(TextTest.BeginsWith)
  )
  private val leaves: Gen[RowFilter] = Gen.frequency(
    4 -> Gen.zip(Gen.oneOf(Cluster, Stream, Topic), tests).map { case (column, test) => OfText(column, test) },
    6 -> Gen.zip(Gen.oneOf(Partition, Offset, Timestamp), comparisons, numbers).map {
      case (column, comparison, value) =>
        OfNumber(column, comparison, value)
    },
    1 -> Gen.oneOf(Always, Never, Null, Unknown)
  )

  def filters(depth: Int): Gen[RowFilter] =
    if (depth == 0) leaves
    else {
      val parts = Gen.choose(0, 3).flatMap(Gen.listOfN(_, Gen.lzy(filters(depth - 1)))).map(_.toVector)
      Gen.frequency(2 -> leaves, 2 -> parts.map(All), 2 -> parts.map(AnyOf), 1 -> Gen.lzy(filters(depth - 1)).map(Not))
    }

  /** What SQL says of a row; none: null. What is unknown may be anything, so that it counts as true wherever that matters:
    * it is taken as true and as false by turns of the row.
    */
  def evaluated(filter: RowFilter, row: Row): Option[Boolean] = filter match {
    case All(parts)           => and(parts.map(evaluated(_, row)))
    case AnyOf(parts)         => and(parts.map(evaluated(_, row).map(!_))).map(!_)
    case Not(part)            => evaluated(part, row).map(!_)
    case Always               => Some(true)
    case Never                => Some(false)
    case Null                 => None
    case Unknown              => Some(row.offset % 2 == 0)
    case OfText(column, test) =>
      Some(test.holds(column match {
        case Cluster => row.cluster
        case Stream  => row.stream
        case Topic   => row.topic
      }))
    case OfNumber(column, comparison, value) =>
      val own = column match {
        case Partition => row.partition.toLong
        case Offset    => row.offset
        case Timestamp => row.micros
      }
      Some(comparison match {
        case Equal    => own == value
        case NotEqual => own != value
        case Less     => own < value
        case AtMost   => own <= value
        case Greater  => own > value
        case AtLeast  => own >= value
      })
  }

  private def and(parts: Vector[Option[Boolean]]): Option[Boolean] =
    if (parts.contains(Some(false))) Some(false) else if (parts.contains(None)) None else Some(true)
}
