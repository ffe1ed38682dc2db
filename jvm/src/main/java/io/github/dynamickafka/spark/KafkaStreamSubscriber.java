package io.github.dynamickafka.spark;

import java.util.Set;

/**
 * Chooses the streams that a query reads. It is called at each fetch, so the choice may change while the query runs.
 *
 * <p>A class that the option {@code streamSubscriber} names needs a public constructor without parameters.
 */
@FunctionalInterface
public interface KafkaStreamSubscriber {

  /** The ids of the streams to read. It may ask the service; the time limit of the fetch covers it. */
  Set<String> getSubscribedStreams(KafkaMetadataService service);
}
