package io.github.dynamickafka.spark;

import java.time.Duration;

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
}
