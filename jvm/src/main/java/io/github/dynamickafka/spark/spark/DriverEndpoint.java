package io.github.dynamickafka.spark.spark;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;

import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Receives the messages of one query's tasks on the driver. Spark's own RPC carries them, with the authentication and
 * encryption of the application. Its classes are private to Spark in Scala but public in the class file, so this
 * file is Java. Messages are made of the JDK's types alone, which each class loader knows.
 */
final class DriverEndpoint implements AutoCloseable {
  private final Endpoint endpoint;

  /**
   * @param name of the query's run
   * @param handler gets each message and where its answer goes; it must not wait
   */
  DriverEndpoint(String name, BiConsumer<Object, Consumer<Object>> handler) {
    this.endpoint = new Endpoint(name, handler);
  }

  @Override
  public void close() {
    endpoint.end();
  }

  // Inside, because Scala's compiler sees the signatures of the class around it.
  private static final class Endpoint implements RpcEndpoint {
    private final RpcEnv env = SparkEnv.get().rpcEnv();
    private final BiConsumer<Object, Consumer<Object>> handler;
    private final RpcEndpointRef ref;

    Endpoint(String name, BiConsumer<Object, Consumer<Object>> handler) {
      this.handler = handler;
      this.ref = env.setupEndpoint(name, this);
    }

    @Override
    public RpcEnv rpcEnv() {
      return env;
    }

    @Override
    public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
      return new AbstractPartialFunction<Object, BoxedUnit>() {
        @Override
        public boolean isDefinedAt(Object message) {
          return true;
        }

        @Override
        public BoxedUnit apply(Object message) {
          handler.accept(message, context::reply);
          return BoxedUnit.UNIT;
        }
      };
    }

    void end() {
      env.stop(ref);
    }
  }
}
