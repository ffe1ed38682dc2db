package io.github.dynamickafka.spark.testing;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program of a broker's process. It ends with the JVM that started it. It can use only Kafka's own jars. */
final class BrokerMain {
  private BrokerMain() {}

  /** Arguments: the id of the Kafka cluster, the server's properties, and where its data is. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread parent = new Thread(BrokerMain::endWithParent, "parent");
    parent.setDaemon(true);
    parent.start();
    String properties = arguments[1];
    if (!Files.exists(Path.of(arguments[2], "meta.properties"))) {
      String[] format = {"format", "-t", arguments[0], "-c", properties};
      Object failed = Class.forName("kafka.tools.StorageTool")
          .getMethod("execute", String[].class, PrintStream.class)
          .invoke(null, format, System.out);
      if (!failed.equals(0)) System.exit(1);
    }
    Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) new String[] {properties});
  }

  /** The jar or folder that holds this class. */
  static String location() {
    try {
      return Path.of(BrokerMain.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  // Nobody writes to its input, which ends when the other JVM does, however that ends.
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) continue;
    } catch (IOException ended) {
      // The same.
    }
    Runtime.getRuntime().halt(1);
  }
}
