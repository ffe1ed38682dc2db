package io.github.dynamickafka.spark.kafka.admin

import java.lang.reflect.Proxy
import java.net.{InetAddress, ServerSocket}
import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.util.Using

import org.apache.kafka.clients.admin.Admin
import org.apache.kafka.common.{TopicPartition, Uuid}

import io.github.dynamickafka.spark.ask.WaitMode
import io.github.dynamickafka.spark.commits.{CommitOutcome, CommitRun}
import io.github.dynamickafka.spark.errors.Condition
import io.github.dynamickafka.spark.ids.{ClusterId, PartitionId}
import io.github.dynamickafka.spark.kafka.consumer.LogProofs
import io.github.dynamickafka.spark.offsets.OffsetPoint
import io.github.dynamickafka.spark.reconcile.Question
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** The driver's client of a cluster that does not answer. Answers of real brokers are left to the scenarios. */
class ClusterAdminSuite extends munit.FunSuite {
  test("after two questions in vain the next one opens a new client, whatever became of the old one") {
    // Accepts connections and never answers.
    Using.resource(new ServerSocket(0, 50, InetAddress.getLoopbackAddress)) { silent =>
      val opened     = new AtomicInteger
      val connection = new ConnectionSettings(Map("bootstrap.servers" -> s"localhost:${silent.getLocalPort}"))
      val factory    = new AdminFactory("test", Duration.ofMillis(500))
      val admin      = new ClusterAdmin(
        ClusterId("eu"),
        connection,
        (id, settings) => { opened.incrementAndGet(): Unit; factory.open(id, settings) },
        new LogProofs(_ => factory.consumer(ClusterId("eu"), connection), Duration.ofMillis(500), task => task.run()),
        Duration.ofMillis(500),
        task => task.run()
      )
      for (clients <- Seq(1, 1, 2, 2, 3)) {
        admin.observe(Set("orders")).get(10, TimeUnit.SECONDS) match {
          case ClusterObservation.Failed(failure) =>
            assertEquals(failure.condition, Condition.ClusterUnreachable: Condition)
          case other => fail(s"$other")
        }
        assertEquals(opened.get, clients)
      }
      admin.close()
    }
  }

  private def admin(of: Admin): ClusterAdmin = {
    val limit = Duration.ofSeconds(10)
    new ClusterAdmin(
      ClusterId("eu"),
      new ConnectionSettings(Map.empty),
      (_, _) => of,
      new LogProofs(_ => fail("no log is in doubt"), limit, task => task.run()),
      limit,
      task => task.run()
    )
  }

  test("what is seen while the address goes over to another Kafka cluster, or comes back, counts for neither") {
    val (first, last) = (new AtomicReference("A"), new AtomicReference("A"))
    val here          = admin(OneTopicAdmin.of(
      () => last.get,
      () => OneTopicAdmin.done(OneTopicAdmin.orders(new Uuid(1, first.get.head.toLong)))
    ))
    def look(from: String, to: String) = {
      first.set(from)
      last.set(to)
      here.observe(Set("orders")).get(10, TimeUnit.SECONDS) match {
        case seen: ClusterObservation.Answered  => s"answered ${seen.kafkaId.getOrElse("")}"
        case ClusterObservation.Failed(failure) => failure.condition.name
        case other                              => fail(s"$other")
      }
    }
    val changed = Condition.ClusterChanged.name
    assertEquals(look("A", "A"), "answered A")
    assertEquals(look("A", "B"), changed)
    assertEquals(look("B", "B"), "answered B")
    assertEquals(look("B", "A"), changed, "the topics are those of the other one")
    assertEquals(look("A", "A"), "answered A")
    here.close()
  }

  test("positions are not committed to another Kafka cluster that has the address now") {
    val position = Map(new TopicPartition("orders", 0) -> 5L)
    class Run(override val kafkaId: Option[String]) extends CommitRun {
      private var left                                = Option(position)
      var became                                      = Vector.empty[CommitOutcome]
      override def done(outcome: CommitOutcome): Unit = became :+= outcome

      override def next(): Option[Map[TopicPartition, Long]] = {
        val now = left
        left = None
        now
      }
    }
    for ((known, taken) <- Seq(Some("A") -> false, Some("B") -> true, None -> true)) {
      var sent = Vector.empty[Map[TopicPartition, Long]]
      val here = admin(OneTopicAdmin.of(() => "B", committed = of => sent :+= of.transform((_, at) => at.offset)))
      val run  = new Run(known)
      here.commit(run).get(10, TimeUnit.SECONDS)
      assertEquals(sent, if (taken) Vector(position) else Vector.empty, s"$known")
      run.became match {
        case Vector(CommitOutcome.Committed)             => assert(taken)
        case Vector(CommitOutcome.Refused(refused, why)) =>
          assert(!taken)
          assertEquals((refused, why.condition), (position.keySet, Condition.ClusterChanged: Condition))
        case other => fail(s"$other")
      }
      here.close()
    }
  }

  test("offsets of points in time count only if the same Kafka cluster answers as when it was asked for its topics") {
    val kafkaId    = new AtomicReference("A")
    val connection = new ConnectionSettings(Map.empty)
    val limit      = Duration.ofSeconds(10)
    val admin      = new ClusterAdmin(
      ClusterId("eu"),
      connection,
      (_, _) => OneTopicAdmin.of(() => kafkaId.get),
      new LogProofs(_ => fail("no log is in doubt"), limit, task => task.run()),
      limit,
      task => task.run()
    )
    val question = Question(PartitionId(ClusterId("eu"), "orders", 0), OffsetPoint.Timestamp(5))
    def found    = admin.resolve(Set(question)).get(10, TimeUnit.SECONDS).left.map(_.failure.condition)
    admin.observe(Set("orders")).get(10, TimeUnit.SECONDS) match {
      case seen: ClusterObservation.Answered => assertEquals(seen.kafkaId, Some("A"))
      case other                             => fail(s"$other")
    }
    assertEquals(found, Right(Map(question -> Option(7L))))
    kafkaId.set("B")
    assertEquals(found, Left(Condition.ClusterChanged))
    admin.close()
  }

  private def closing(closed: () => Unit): Admin = Proxy.newProxyInstance(
    getClass.getClassLoader,
    Array[Class[_]](classOf[Admin]),
    (_, method, _) => { if (method.getName == "close") closed(); null }
  ).asInstanceOf[Admin]

  test("a client that is opened just while all is closed does not stay open") {
    val closed = new CountDownLatch(1)
    val limit  = Duration.ofSeconds(10)
    val here   = new AtomicReference[ClusterAdmin]
    here.set(new ClusterAdmin(
      ClusterId("eu"),
      new ConnectionSettings(Map.empty),
      (_, _) => {
        val closer = new Thread(() => here.get.close())
        closer.start()
        closer.join(200)
        closing(() => closed.countDown())
      },
      new LogProofs(_ => fail("no log is in doubt"), limit, task => task.run()),
      limit,
      task => task.run()
    ))
    here.get.observe(Set("orders")): Unit
    assert(closed.await(10, TimeUnit.SECONDS))
  }

  test("however many clusters hang while their clients are opened, no other waits for them") {
    val (hang, opened) = (new CountDownLatch(1), new CountDownLatch(1))
    val admins         = new ClusterAdmins(
      (id, _) => { if (id.value == "eu") opened.countDown() else hang.await(); closing(() => ()) },
      (_, _) => fail("no log is in doubt"),
      Duration.ofSeconds(10),
      "test"
    )
    val ids = (1 to 100).map(n => ClusterId(s"c$n")) :+ ClusterId("eu")
    admins.keep(ids.map(_ -> new ConnectionSettings(Map.empty)).toMap)
    ids.foreach(admins.observing(_, Set("orders"), WaitMode.Limited))
    try assert(opened.await(5, TimeUnit.SECONDS))
    finally {
      hang.countDown()
      admins.close()
    }
  }
}
