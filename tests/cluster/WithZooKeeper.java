import java.io.File;
import java.net.InetSocketAddress;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** Starts ZooKeeper, and in the same process a broker that needs one. Both end together. */
class WithZooKeeper {
  private static final int TICK_MS = 500;
  private static final int CONNECTIONS = 50;

  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    File folder = new File(arguments[1]);
    ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", port), CONNECTIONS)
        .startup(new ZooKeeperServer(folder, folder, TICK_MS));
    kafka.Kafka.main(new String[] {arguments[2]});
  }
}
