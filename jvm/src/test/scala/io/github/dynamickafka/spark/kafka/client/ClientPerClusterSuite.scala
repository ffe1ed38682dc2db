package io.github.dynamickafka.spark.kafka.client

import java.util.concurrent.{CompletableFuture, Executor}

import munit.FunSuite

import io.github.dynamickafka.spark.ids.ClusterId
import io.github.dynamickafka.spark.reconcile.observed.ClusterObservation.Failed
import io.github.dynamickafka.spark.topology.ConnectionSettings

/** Which clients are kept, and who answers. Clients are fakes; what they ask is tested elsewhere. */
class ClientPerClusterSuite extends FunSuite {
  private val (eu, us) = (ClusterId("eu"), ClusterId("us"))

  final private class Client(val cluster: ClusterId) extends AutoCloseable {
    var closed                 = false
    override def close(): Unit = closed = true
  }

  final private class Clients extends ClientPerCluster[Client]("test") {
    var made = Vector.empty[Client]

    override protected def make(cluster: ClusterId, connection: ConnectionSettings, threads: Executor): Client = {
      made :+= new Client(cluster)
      made.last
    }

    def name(of: ClusterId): CompletableFuture[Either[Failed, String]] =
      asking(of, client => CompletableFuture.completedFuture(Right(client.cluster.value)))

    def has(cluster: ClusterId): Boolean = client(cluster).isRight
  }

  private def connection(password: String): ConnectionSettings = new ConnectionSettings(Map("password" -> password))

  test("a cluster keeps its client while its connection stays the same, whatever comes and goes beside it") {
    val clients = new Clients
    clients.keep(Map(eu -> connection("a")))
    clients.keep(Map(eu -> connection("a"), us -> connection("a")))
    clients.keep(Map(eu -> connection("a")))
    assertEquals(clients.made.map(_.cluster), Vector(eu, us))
    assertEquals(clients.made.map(_.closed), Vector(false, true))
  }

  test("another connection closes the client and makes a new one") {
    val clients = new Clients
    clients.keep(Map(eu -> connection("a")))
    clients.keep(Map(eu -> connection("b")))
    assertEquals(clients.made.map(_.closed), Vector(true, false))
  }

  test("closing closes every client, and none is there afterwards") {
    val clients = new Clients
    clients.keep(Map(eu -> connection("a"), us -> connection("a")))
    clients.close()
    assertEquals(clients.made.map(_.closed), Vector(true, true))
    assert(!clients.has(eu))
  }

  test("a cluster without a client is not asked, and a failure is its answer") {
    val clients = new Clients
    clients.keep(Map(eu -> connection("a")))
    assertEquals(clients.name(eu).join, Right("eu"))
    assert(clients.name(us).join.left.exists(_.failure.detail.contains("us was closed")))
  }
}
