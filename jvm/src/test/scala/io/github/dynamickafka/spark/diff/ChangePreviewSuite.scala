package io.github.dynamickafka.spark.diff

import munit.FunSuite

import io.github.dynamickafka.spark.errors.Failure
import io.github.dynamickafka.spark.fakes.{Query, Situations}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.offsets.{OffsetPoint, OffsetRule, SourceOffset}
import io.github.dynamickafka.spark.reconcile.{OffsetQuestions, ReconcilePolicy, StepBasis}
import io.github.dynamickafka.spark.topology.Topology

/** What is reported of each kind of change. That it is what a query does is shown by the histories. */
class ChangePreviewSuite extends FunSuite {
  private val orders = topics("orders")

  private def foreseen(
      old: Topology,
      now: Topology,
      policy: ReconcilePolicy = fromEarliest,
      held: SourceOffset = SourceOffset.initial
  ): ChangePreview = ChangePreview.of(held, old, now, AssumedAnswers, policy, Situations.begin)
    .fold(failure => fail(failure.toString), identity)

  private def effects(old: Topology, now: Topology, policy: ReconcilePolicy = fromEarliest): Vector[String] =
    foreseen(old, now, policy).effects.map(text)

  private def text(one: TopicEffect): String =
    Seq(
      one.id.cluster.value,
      one.id.name,
      one.effect.name,
      one.effect.other.fold("")(_.value),
      one.starts.mkString(",")
    )
      .filter(_.nonEmpty).mkString(" ")

  private def check(name: String)(old: Topology, now: Topology, policy: ReconcilePolicy = fromEarliest)(
      expected: String*
  ): Unit = test(name)(assertEquals(effects(old, now, policy), expected.toVector))

  private val one = listed("eu" -> orders)

  check("the same file changes nothing")(one, one)()
  check("a new cluster starts by newClusterOffsets")(
    one,
    listed("eu" -> orders, "us" -> orders),
    policy.copy(newCluster = OffsetRule.everywhere(OffsetPoint.Latest))
  )("us orders starts latest")
  check("its own starting offsets win")(
    one,
    listed("eu" -> orders, "us" -> orders.startingAt("""{"orders":{"0":7}}"""))
  )(
    "us orders starts offset 7"
  )
  check("a topic that comes to a known cluster starts at its earliest record")(
    one,
    listed("eu" -> topics("orders", "more"))
  )(
    "eu more starts earliest"
  )
  check("a removed cluster drains")(listed("eu" -> orders, "us" -> orders), one)("us orders drains")
  check("or stops at once")(listed("eu" -> orders, "us" -> orders), one, stopping)("us orders stops")
  check("a removed topic drains")(listed("eu" -> topics("orders", "more")), one)("eu more drains")
  check("a rename takes over")(one, listed("new" -> orders.continuing("eu")))(
    "eu orders hands over new",
    "new orders takes over eu"
  )
  check("without the line the old one drains, and the new one starts anew")(one, listed("new" -> orders))(
    "eu orders drains",
    "new orders starts earliest"
  )
  check("a new mirror stands by, and moves nothing")(one, listed("eu" -> orders, "new" -> orders.continuing("eu")))(
    "new orders stands by eu"
  )
  check("a pause, and its end")(one, listed("eu" -> orders.paused))("eu orders pauses")
  check("what is paused and taken off does not drain")(
    one,
    listed("eu" -> topics().pausing("orders"))
  )("eu orders pauses")
  check("reading resumes after a pause")(listed("eu" -> orders.paused), one)("eu orders starts earliest")
  check("a paused mirror is to take over: it waits")(one, listed("new" -> orders.continuing("eu").paused))(
    "eu orders is held",
    "new orders pauses"
  )
  check("an end")(one, listed("eu" -> orders.endingAt("""{"orders":{"0":900}}""")))("eu orders ends elsewhere")
  check("an end that is reached already")(one, listed("eu" -> orders.endingAt("""{"orders":{"*":"earliest"}}""")))(
    "eu orders is finished"
  )
  check("another stream")(one, listed("eu" -> orders.copy(topics = orders.topics.transform((_, _) => StreamId("z")))))(
    "eu orders changes its stream"
  )

  test("a mirror that joins is no move; all else is") {
    assert(!foreseen(one, one).moves)
    assert(!foreseen(one, listed("eu" -> orders, "new" -> orders.continuing("eu"))).moves)
    assert(foreseen(one, listed("eu" -> orders.paused)).moves)
    assert(foreseen(listed("eu" -> orders, "us" -> orders), one).moves)
  }

  test("what was read comes from the checkpoint: what is kept resumes, and partitions are counted") {
    val query   = Query(fromEarliest).sees(one)("eu" -> answer("orders" -> has(0 -> 10, 0 -> 10))).read
    val removed = query.sees(listed("us" -> orders))("us" -> answer("orders" -> has(0 -> 4)), "eu" -> answer()).read
    val back    = foreseen(listed("us" -> orders), one, held = removed.held)
    assertEquals(back.effects.map(text), Vector("us orders drains", "eu orders resumes"))
    assertEquals(back.effects.map(_.partitions), Vector(Some(1), Some(2)))
    assertEquals(back.effects.map(_.records), Vector(None, None))
  }

  test("a mirror that was found behind goes on waiting, until its starting offsets say where mirroring ended") {
    val next   = orders.continuing("eu")
    val behind = Query(fromEarliest).sees(one)("eu" -> answer("orders" -> has(0 -> 10)).of("K1")).read
      .sees(listed("new" -> next))("new" -> answer("orders" -> has(0 -> 5)).of("K2")).read
    val old                   = listed("new" -> next)
    def effects(of: Topology) = foreseen(old, of, held = behind.held).effects.map(text)
    assertEquals(effects(listed("new" -> next, "us" -> orders)), Vector("us orders starts earliest"))
    assertEquals(
      effects(listed("new" -> next.startingAt("""{"orders":{"0":5}}"""))),
      Vector("eu orders hands over new", "new orders takes over eu")
    )
  }

  /** Each cluster has five records of each topic. */
  private object Five extends AnswerSource {
    override val real: Boolean = true

    override def to(basis: StepBasis, policy: ReconcilePolicy): Either[Failure, PreviewAnswers] = {
      val asked = new OffsetQuestions(basis, policy).topics.keySet
      Right(PreviewAnswers(asked.map(_ -> answer("orders" -> has(0 -> 5))).toMap, Map.empty))
    }
  }

  test("where all is read, a removed cluster drains no record, and stops only by the policy of that name") {
    val both                           = listed("eu" -> orders, "us" -> orders)
    def without(rule: ReconcilePolicy) = {
      val seen = answer("orders" -> has(0 -> 5))
      val held = Query(rule).sees(both)("eu" -> seen, "us" -> seen).read.held
      ChangePreview.of(held, both, one, Five, rule, Situations.begin).fold(failure => fail(failure.toString), _.effects)
    }
    assertEquals(without(fromEarliest).map(it => text(it) -> it.records), Vector("us orders drains" -> Some(0L)))
    assertEquals(without(stopping).map(it => text(it) -> it.records), Vector("us orders stops" -> Some(0L)))
  }

  test("effects that stop reading come first in the report") {
    val found = effects(listed("a" -> orders, "b" -> orders), listed("b" -> orders.paused, "c" -> orders))
    assertEquals(found, Vector("a orders drains", "b orders pauses", "c orders starts earliest"))
  }
}
