package io.github.dynamickafka.spark.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;

/** Ports of this machine that are free. */
final class Ports {
  // Below the range from which the system picks ports for outgoing connections: none of those takes the port of a broker
  // that a test has killed and is about to restart.
  private static final int FROM = 20_000;
  private static final int COUNT = 12_000;
  private static final Random RANDOM = new Random();

  private Ports() {}

  static int free() {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FROM + RANDOM.nextInt(COUNT);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress("127.0.0.1", port));
        return port;
      } catch (IOException taken) {
        // The next one.
      }
    }
    throw new IllegalStateException("No port from " + FROM + " to " + (FROM + COUNT - 1) + " is free.");
  }
}
