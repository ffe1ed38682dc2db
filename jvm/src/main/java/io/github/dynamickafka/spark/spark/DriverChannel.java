package io.github.dynamickafka.spark.spark;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.util.RpcUtils;

import scala.concurrent.duration.FiniteDuration;
import scala.reflect.ClassTag;

/** Sends the messages of tasks to the driver: see {@link DriverEndpoint}. */
final class DriverChannel {
  // Of the queries that this executor has worked for. To look one up is a message of its own.
  private static final ConcurrentHashMap<String, RpcEndpointRef> KNOWN = new ConcurrentHashMap<>();
  private static final int MOST = 100;

  private DriverChannel() {}

  /**
   * Waits for the driver's answer.
   *
   * @throws Exception if none comes in time, or the query has ended
   */
  static Object ask(String name, Object message, long millis) throws Exception {
    RpcTimeout limit = new RpcTimeout(FiniteDuration.apply(millis, TimeUnit.MILLISECONDS), "clusterReadTimeout");
    try {
      return driver(name).askSync(message, limit, ClassTag.Object());
    } catch (Exception e) {
      KNOWN.remove(name);
      throw e;
    }
  }

  private static RpcEndpointRef driver(String name) {
    RpcEndpointRef known = KNOWN.get(name);
    if (known != null) {
      return known;
    }
    if (KNOWN.size() >= MOST) {
      KNOWN.clear();
    }
    SparkEnv env = SparkEnv.get();
    RpcEndpointRef found = RpcUtils.makeDriverRef(name, env.conf(), env.rpcEnv());
    KNOWN.put(name, found);
    return found;
  }
}
