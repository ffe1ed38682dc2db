package io.github.dynamickafka.spark.read

import java.net.{InetAddress, ServerSocket}

import scala.util.Using

import munit.FunSuite

class RefusalSuite extends FunSuite {
  private def listening[A](use: Int => A): A =
    Using.resource(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")))(socket => use(socket.getLocalPort))

  test("a cluster refuses if nothing listens at any of its addresses") {
    val closed = listening(identity)
    assert(Refusal.of(s"127.0.0.1:$closed"))
    listening(open => assert(!Refusal.of(s"127.0.0.1:$closed,127.0.0.1:$open")))
    assert(!Refusal.of(""), "no address refuses nothing")
  }
}
