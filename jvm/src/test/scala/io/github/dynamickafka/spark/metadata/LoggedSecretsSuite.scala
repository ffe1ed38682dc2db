package io.github.dynamickafka.spark.metadata

import java.time.{Clock, Duration}
import java.util.{Map => JMap, Set => JSet}

import scala.collection.immutable.SortedSet
import scala.jdk.CollectionConverters._

import io.github.dynamickafka.spark.{KafkaMetadataService, KafkaStream, KafkaStreamSubscriber}
import io.github.dynamickafka.spark.errors.DynamicKafkaException
import io.github.dynamickafka.spark.fakes.{LogLines, ScriptedMetadataService}
import io.github.dynamickafka.spark.fakes.Streams.{cluster, stream}
import io.github.dynamickafka.spark.ids.{ClusterId, StreamId}
import io.github.dynamickafka.spark.log.QueryLog
import io.github.dynamickafka.spark.options.{DiscoverySettings, ServiceChoice, ServiceSettings}
import io.github.dynamickafka.spark.poll.MetadataPoller

/** A user's service may write a secret into the text of its error. */
class LoggedSecretsSuite extends munit.FunSuite {
  private val orders = stream("orders", "eu-1" -> cluster("orders")())

  private def fetching(
      service: KafkaMetadataService,
      chosen: ChosenStreams = ChosenStreams.Ids(SortedSet(StreamId("orders")))
  ) = new TopologyFetch(service, chosen, Map.empty, Placeholders.ofDriver, QueryLog.unnamed)

  test(
    "what a service raises for a cluster that it does not list any more is logged without the secrets that it was listed with"
  ) {
    val old   = stream("orders", "old-1" -> cluster("orders")("ssl.key.password" -> "k3y"))
    var now   = old
    val fails = new ScriptedMetadataService(
      describe = _ => JMap.of("orders", now),
      active = id => if (id == "old-1" && (now ne old)) throw new IllegalStateException("k3y is refused") else true
    )
    val fetch = fetching(fails)
    val lines = LogLines.of(classOf[QueryLog]) {
      fetch.fetch(Set.empty): Unit
      now = orders
      assertEquals(fetch.fetch(Set(ClusterId("old-1"))).inactive, Set(ClusterId("old-1")))
    }
    assertEquals(lines.map(line => (line.contains("*** is refused"), line.contains("k3y"))), Vector(true -> false))
  }

  test("what it raises when it is closed is logged without the secrets that it has listed") {
    val fetch = fetching(new ScriptedMetadataService(describe = _ => listed("k3y")))
    val lines = LogLines.of(classOf[QueryLog]) {
      val poller = new MetadataPoller(
        fetch,
        None,
        DiscoverySettings(None, None, Duration.ofSeconds(10)),
        "closed",
        QueryLog.unnamed,
        Clock.systemUTC,
        () => throw new IllegalStateException("no logout with k3y")
      )
      poller.first(Set.empty): Unit
      poller.close()
    }
    assertEquals(lines.map(line => (line.contains("no logout with ***"), line.contains("k3y"))), Vector(true -> false))
  }

  private def failure(fetch: TopologyFetch): Vector[String] = {
    val thrown = intercept[DynamicKafkaException](fetch.fetch(Set.empty))
    Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null).map(_.toString).toVector
  }

  private def listed(password: String) =
    JMap.of("orders", stream("orders", "eu-1" -> cluster("orders")("ssl.key.password" -> password)))

  test("a failure quotes no secret that the service has listed by then, at the first fetch too") {
    val quotes = new ScriptedMetadataService(
      describe = _ => listed("k3y"),
      active = _ => throw new IllegalStateException("k3y is refused")
    )
    val texts = failure(fetching(quotes))
    assert(texts.exists(_.contains("*** is refused")) && !texts.exists(_.contains("k3y")), texts)
  }

  test("a secret that was rotated stays one") {
    var now: () => JMap[String, KafkaStream] = () => listed("old-k3y")
    val fetch                                = fetching(new ScriptedMetadataService(describe = _ => now()))
    fetch.fetch(Set.empty): Unit
    now = () => listed("new-k3y")
    fetch.fetch(Set.empty): Unit
    now = () => throw new IllegalStateException("neither old-k3y nor new-k3y is taken")
    val texts = failure(fetch)
    assert(texts.exists(_.contains("neither *** nor *** is taken")) && !texts.exists(_.contains("k3y")), texts)
  }

  test("a failure quotes no value that a placeholder in the options of its class stands for, and the rest of them") {
    import LoggedSecretsSuite._
    val placeholders = new Placeholders(Map("PW" -> "pl4ceh0lder").get, _ => fail("no file is named"))
    for (of <- Seq(classOf[Refused], classOf[RefusedAtOnce])) {
      val settings =
        ServiceSettings(ServiceChoice.ClassName(of.getName), Map("url" -> "jdbc:db/streams?password=${env:PW}"))
      val texts = failure(fetching(MetadataServices.open(settings, Map.empty, placeholders).service))
      assert(texts.exists(_.contains("no driver for jdbc:db/streams?password=***")), texts)
      assert(!texts.exists(_.contains("pl4ceh0lder")), texts)
    }
  }

  test("a subscriber's error quotes no secret of the streams that it was given, at the first fetch too") {
    val secret                         = stream("orders", "eu-1" -> cluster("orders")("ssl.key.password" -> "k3y"))
    val quoting: KafkaStreamSubscriber = service => {
      val all = service.getAllStreams.asScala.toVector
      throw new IllegalStateException(s"no region in ${all.map(_.getClusters.get("eu-1").getProperties)}")
    }
    val texts = failure(fetching(ScriptedMetadataService.of(secret), ChosenStreams.BySubscriber(quoting)))
    assert(texts.exists(_.contains("no region in")) && !texts.exists(_.contains("k3y")), texts)
  }

  test("a failure quotes no secret of a stream that the service has listed, and that is not chosen") {
    val refunds                      = stream("refunds", "us-1" -> cluster("refunds")("ssl.key.password" -> "0ther"))
    var now: () => JSet[KafkaStream] = () => JSet.of(orders, refunds)
    val fetch                        = fetching(() => now())
    fetch.fetch(Set.empty): Unit
    now = () => throw new IllegalStateException("0ther is refused")
    val texts = failure(fetch)
    assert(texts.exists(_.contains("*** is refused")) && !texts.exists(_.contains("0ther")), texts)
  }

  test("another failure keeps its cause") {
    val fails = new ScriptedMetadataService(describe = _ => throw new IllegalStateException("down"))
    assert(failure(fetching(fails)).exists(_.contains("IllegalStateException: down")))
  }
}

object LoggedSecretsSuite {

  /** Quotes its address, as JDBC does. */
  class Refused(config: JMap[String, String]) extends KafkaMetadataService {
    override def getAllStreams: java.util.Set[KafkaStream] =
      throw new IllegalStateException(s"no driver for ${config.get("url")}")
  }

  /** The same when it is made. */
  class RefusedAtOnce(config: JMap[String, String]) extends Refused(config) { getAllStreams: Unit }
}
