package io.github.dynamickafka.spark.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/** A broker and controller as a process of its own, which ends with this JVM. Its data lies below a folder. */
final class Broker {
  private static final String HOST = "127.0.0.1";
  // Of one that stops in good order, on a busy machine.
  private static final long STOP_SECONDS = 60;
  private static final int SHOWN = 20;
  private static final List<String> JAVA_OPTIONS = List.of(
      "-Xmx384m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-XX:-UsePerfData",
      "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider");

  private final String name;
  private final Path folder;
  private final Path log;
  private final Map<String, String> properties;
  private final String address;
  private final String kafkaId = Uuid.randomUuid().toString();
  private Process process;

  Broker(String name, Path folder) {
    this.name = name;
    this.folder = folder;
    this.log = folder.resolve("broker.log");
    int port = Ports.free();
    int controller = Ports.free();
    this.address = HOST + ":" + port;
    this.properties = properties(port, controller, folder.resolve("data"));
  }

  String address() {
    return address;
  }

  /** On the data that is there. Returns before it answers. */
  void start() {
    if (process != null && process.isAlive()) return;
    try {
      Files.createDirectories(folder);
      Path file = folder.resolve("server.properties");
      Files.write(file, properties.entrySet().stream().map(Object::toString).collect(Collectors.toList()));
      process = new ProcessBuilder(command(file))
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
    } catch (IOException failure) {
      throw new UncheckedIOException("Kafka broker " + name + " can't be started in " + folder + ".", failure);
    }
  }

  void stop() {
    if (process == null) return;
    resume();
    process.destroy();
    if (!ended(STOP_SECONDS)) kill();
  }

  void kill() {
    if (process == null) return;
    process.destroyForcibly();
    ended(STOP_SECONDS);
  }

  /** Freezes it. */
  void pause() {
    requireRunning();
    signal("STOP");
  }

  void resume() {
    if (process != null && process.isAlive()) signal("CONT");
  }

  /** Throws what its log says, if it has ended. */
  void requireRunning() {
    if (process == null || !process.isAlive())
      throw new IllegalStateException("Kafka broker " + name + " does not run. From its log:\n" + lastLines());
  }

  private List<String> command(Path file) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command = new ArrayList<>(List.of(java.toString()));
    command.addAll(JAVA_OPTIONS);
    List<String> classes = new ArrayList<>(List.of(BrokerMain.location()));
    BrokerJars.files().forEach(jar -> classes.add(jar.getPath()));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classes), BrokerMain.class.getName()));
    command.addAll(List.of(kafkaId, file.toString(), properties.get("log.dirs")));
    return command;
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    } catch (IOException failure) {
      throw new UncheckedIOException("There is no program `kill`: brokers run on Linux and macOS.", failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean ended(long seconds) {
    try {
      return process.waitFor(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private String lastLines() {
    try {
      List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN), lines.size()));
    } catch (IOException failure) {
      return failure.toString();
    }
  }

  /** Of a small broker that does soon what others do late in the background. */
  private static Map<String, String> properties(int port, int controller, Path data) {
    Map<String, String> all = new TreeMap<>(Map.of(
        "process.roles", "broker,controller",
        "node.id", "1",
        "controller.listener.names", "CONTROLLER",
        "controller.quorum.voters", "1@" + HOST + ":" + controller,
        "listeners", "CLIENT://" + HOST + ":" + port + ",CONTROLLER://" + HOST + ":" + controller,
        "advertised.listeners", "CLIENT://" + HOST + ":" + port,
        "inter.broker.listener.name", "CLIENT",
        "listener.security.protocol.map", "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs", data.toString()));
    for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
      all.put(topic + ".replication.factor", "1");
      all.put(topic + ".num.partitions", "1");
    }
    all.putAll(Map.of(
        "auto.create.topics.enable", "false",
        // Records of tests may be of another year.
        "log.retention.ms", "-1",
        "log.segment.delete.delay.ms", "100",
        "log.initial.task.delay.ms", "500",
        "log.cleaner.dedupe.buffer.size", "4194304",
        "group.initial.rebalance.delay.ms", "0",
        // The controller refuses a broker that comes back until the session of the killed one has ended.
        "broker.heartbeat.interval.ms", "300",
        "broker.session.timeout.ms", "2000"));
    return all;
  }
}
