package io.github.dynamickafka.spark;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** The public API as Java calls it, for suites: that it compiles is half of what they show. */
public final class JavaCalls {
  private JavaCalls() {}

  static DynamicKafkaSourceBuilder chain(DynamicKafkaSourceBuilder builder, KafkaMetadataService service) {
    return builder
        .metadataService(service)
        .streamIds("orders", "refunds")
        .startingOffsets("earliest")
        .drainTimeout(Duration.ofMinutes(5))
        .failOnDataLoss(false)
        .kafkaProperty("client.rack", "eu-west-1a");
  }

  static DynamicKafkaSourceBuilder statements(DynamicKafkaSourceBuilder builder, KafkaMetadataService service) {
    builder.metadataService(service);
    builder.streamIds("orders", "refunds");
    builder.startingOffsets("earliest");
    builder.drainTimeout(Duration.ofMinutes(5));
    builder.failOnDataLoss(false);
    builder.kafkaProperty("client.rack", "eu-west-1a");
    return builder;
  }

  static Offsets offsetsByName(Instant time) {
    Offsets orders = Offsets.latest().partition(0, 1200).partition(1, Offsets.earliest());
    Offsets refunds = Offsets.byName().partition(3, 7);
    return Offsets.latest()
        .cluster("eu-1", Offsets.earliest().topic("orders", orders).topic("refunds", refunds))
        .cluster("us-1", Offsets.timestamp(time));
  }

  /** A metadata service with the one method that it needs. */
  public static class ListedStreams implements KafkaMetadataService {
    private final Set<KafkaStream> streams;
    public int calls = 0;

    public ListedStreams(KafkaStream... streams) {
      this.streams = Set.of(streams);
    }

    @Override
    public Set<KafkaStream> getAllStreams() {
      calls++;
      return streams;
    }
  }
}
