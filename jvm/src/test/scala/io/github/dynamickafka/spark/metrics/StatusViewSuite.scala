package io.github.dynamickafka.spark.metrics

import java.time.{Duration, Instant}

import scala.collection.immutable.SortedMap

import munit.FunSuite

import io.github.dynamickafka.spark.ask.ClusterSurvey
import io.github.dynamickafka.spark.deferral.ClusterDeferral
import io.github.dynamickafka.spark.driver.memory.{DriverState, FinishedOffset, LastStep}
import io.github.dynamickafka.spark.driver.report.DriverView
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException, Failure}
import io.github.dynamickafka.spark.fakes.{Query, Seen}
import io.github.dynamickafka.spark.fakes.Situations._
import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.metadata.FetchedTopology
import io.github.dynamickafka.spark.options.RemovedClusterPolicy
import io.github.dynamickafka.spark.poll.{MetadataAnswer, PollHealth, PollState}
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.status.{
  AppliedMetadata,
  ClusterStatus,
  ObservedClusters,
  QueryIdentity,
  QueryStatus,
  QueryStatusJson,
  RefusedAnswer,
  TopologyDigest
}
import io.github.dynamickafka.spark.topology.{ConnectionSettings, Topology, TopologyChange}

/** What the status of a query says of what its driver knows. */
class StatusViewSuite extends FunSuite {
  private val both  = listed("eu" -> topics("orders"), "us" -> topics("orders"))
  private val eu    = "eu" -> answer("orders" -> has(0 -> 10, 0 -> 5).of("T1")).of("K1")
  private val us    = "us" -> answer("orders" -> has(0 -> 7).of("T2")).of("K2")
  private val query = Query(skipping).sees(both)(eu, us).readSome(_ => Map.empty)

  private val first =
    QueryStatus(QueryIdentity("q", "r", Some("n"), "0"), looked = Some(ObservedClusters(SortedMap("spark" -> "4.2.0"))))

  private def later(seconds: Long): Instant = begin.plusSeconds(seconds)

  private def state(seen: Seen): DriverState = {
    val survey = ClusterSurvey(seen.input.topology, seen.input.seen, seen.input.answers, seen.input.now)
    DriverState(finished = Some(FinishedOffset(seen.query.held)), lastChange = Some(begin -> TopologyChange.none))
      .on(seen.input.topology, seen.query.held)
      .stepped(LastStep(seen.query.held, survey, seen.step, quiet = false))
  }

  private def view(
      state: DriverState,
      poll: PollState = PollState(),
      deferred: Map[ClusterId, Long] = Map.empty,
      last: Map[ClusterId, ClusterDeferral] = Map.empty
  ): DriverView = DriverView(state, poll, deferred, last, RemovedClusterPolicy.Drain)

  private def clusters(view: DriverView): Map[String, ClusterStatus] =
    StatusView.after(first, view, later(9)).looked.flatMap(_.clusters).getOrElse(fail("nothing is known")).map {
      case (id, status) => id.value -> status
    }

  test("before the first step nothing is known of the clusters, and an uncommitted batch is the first that is") {
    assertEquals(StatusView.after(first, view(DriverState()), later(9)).looked, first.looked)
    val begun =
      DriverState(finished =
        Some(FinishedOffset(query.held, Map(ClusterId("eu") -> 3L)))
      ).on(Topology.empty, query.held)
    val known = clusters(view(begun))
    assertEquals(known("eu").uncommitted, 3L)
    assertEquals(known("eu").needs.toVector.map(_.name).mkString(" "), "unrecorded uncommitted")
    assertEquals((known("us").state, known("us").uncommitted), (None, 0L))
  }

  test("a cluster has its state, Kafka's id, positions as counts, and how much is not read yet") {
    val now = clusters(view(state(query.sees(both)(eu, us))))("eu")
    assertEquals((now.state, now.cause, now.kafkaId), (Some("reading"), None, Some("K1")))
    assertEquals((now.topics, now.partitions, now.pending, now.drained), (1, 2, 15L, false))
  }

  test("a sick one has its cause, without addresses, and its last known lag") {
    val address = new ConnectionSettings(Map("bootstrap.servers" -> "secret.example.com:9092"))
    val there   = listed("eu" -> topics("orders").copy(connection = Right(address)), "us" -> topics("orders"))
    val gone    = Failed(Failure(Condition.ClusterUnreachable, "no answer of secret.example.com and b7.internal:9092"))
    val before  = state(query.sees(there)(eu, us))
    val seen    = query.sees(there)("eu" -> gone, us)
    val survey  = ClusterSurvey(there, seen.input.seen, Map.empty, begin)
    val now     = clusters(view(before.stepped(LastStep(query.held, survey, seen.step, quiet = false))))("eu")
    assertEquals((now.state, now.pending), (Some("unavailable"), 15L))
    assert(now.cause.exists(_.contains("CLUSTER_UNREACHABLE] no answer of <address> and <address>")), now.cause)
  }

  test("many causes are short, so that the file stays small") {
    val many = (1 to 200).map(number => s"c$number")
    val long = Failed(Failure(Condition.ClusterUnreachable, "x" * 5000))
    val here = listed(many.map(_ -> topics("orders")): _*)
    val seen = Query(skipping).sees(here)(many.map(_ -> long): _*)
    val text = QueryStatusJson.write(StatusView.after(first, view(state(seen)), begin), begin)
    assert(text.length < 200 * 500, text.length)
  }

  test("one that is drained is removed, and needed by nobody, once a finished batch says so") {
    val one     = listed("us" -> topics("orders"))
    val noticed = query.sees(one)(eu, us)
    assertEquals(clusters(view(state(noticed)))("eu").needs.toVector.map(_.name).mkString, "unrecorded")
    val drained = clusters(view(state(noticed.read.sees(one)(us))))("eu")
    assertEquals((drained.state, drained.drained, drained.needs.size), (Some("removed"), true, 0))
    val back = clusters(view(state(noticed.read.sees(one)(us)), deferred = Map(ClusterId("eu") -> 4L)))("eu")
    assertEquals((back.deferred, back.drained, back.needs.toVector.map(_.name).mkString), (4L, true, "deferred"))
  }

  test("what was deferred last of a cluster is in its status, and counts alone are no change") {
    val last = ClusterDeferral(Some(12), 3, 12000, Condition.ClusterUnreachable, begin)
    val seen = view(state(query.sees(both)(eu, us)), last = Map(ClusterId("eu") -> last))
    assertEquals(clusters(seen)("eu").lastDeferral, Some(last))
    assertEquals(clusters(seen)("us").lastDeferral, None)
    val more = seen.copy(lastDeferrals = Map(ClusterId("eu") -> last.copy(partitions = 4, records = 13000)))
    assertEquals(clusters(more)("eu").steady, clusters(seen)("eu").steady)
    val good = seen.copy(lastDeferrals = Map(ClusterId("eu") -> last.copy(madeGood = Some(later(9)))))
    assertNotEquals(clusters(good)("eu").steady, clusters(seen)("eu").steady)
  }

  test("one that was listed after the last look is pending, and was not removed") {
    val more = listed("asia" -> topics("orders"), "eu" -> topics("orders"), "us" -> topics("orders"))
    assertEquals(clusters(view(state(query.sees(both)(eu, us)).on(more, query.held)))("asia").state, Some("pending"))
  }

  test("the metadata that is applied has its digest and times, and an answer that was refused does not change it") {
    val known  = state(query.sees(both)(eu, us))
    val good   = MetadataAnswer(FetchedTopology(both, Set.empty, Some(12)), 1, later(1), later(2), 0)
    val status = StatusView.after(first, view(known, PollState(Some(good))), later(9))
    assertEquals(status.applied, Some(AppliedMetadata(Some(12), begin, Some(TopologyDigest.of(both)), Some(later(2)))))
    val failure = DynamicKafkaException(Condition.InvalidMetadata, "line 4: b9.internal:9092")
    val refused = PollState(Some(good), PollHealth().failed(failure))
    val bad     = StatusView.after(status, view(known, refused), later(20))
    val still   = StatusView.after(bad, view(known, refused), later(30))
    assertEquals(still.applied, status.applied)
    assertEquals(still.refused, Some(RefusedAnswer(None, Condition.InvalidMetadata, "line 4: <address>", later(20))))
    assertEquals(StatusView.after(still, view(known, PollState(Some(good))), later(40)).refused, None)
    // What was fetched meanwhile is not applied before a trigger takes it.
    val newer = PollState(Some(good.copy(FetchedTopology(Topology.empty, Set.empty, Some(13)))))
    assertEquals(StatusView.after(status, view(known, newer), later(40)).applied, status.applied)
  }

  test("counts and times alone are no change") {
    val here  = StatusView.after(first, view(state(query.sees(both)(eu, us))), later(9))
    val again = StatusView.after(
      first,
      view(state(query.after(Duration.ofSeconds(5)).sees(both)(eu, us).read.sees(both)(eu, us))),
      later(20)
    )
    assert(here != again)
    assertEquals(here.steady, again.steady)
  }
}
