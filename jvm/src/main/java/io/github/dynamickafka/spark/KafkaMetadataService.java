package io.github.dynamickafka.spark;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Tells which streams exist and which topics, on which Kafka clusters, carry them.
 *
 * <p>The source calls it on the driver alone, from a thread of its own, again and again. Calls on one object never
 * overlap. Whatever a method throws counts as a failed fetch: the source goes on with what it knew. A class that is
 * named by the option {@code metadataService} needs a public constructor that takes a {@code Map<String, String>},
 * its {@code metadataService.*} options, or one without parameters.
 */
public interface KafkaMetadataService extends AutoCloseable {

  /** All streams there are. Asked for patterns and by subscribers. */
  Set<KafkaStream> getAllStreams();

  /** The streams with these ids, by id. An id that the service does not know is left out of the answer. */
  Map<String, KafkaStream> describeStreams(Collection<String> streamIds);

  /**
   * Whether a cluster is expected to answer. One that is not is read as far as it answers, and skipped when it does
   * not. Asked of listed clusters, and of those that are no longer listed while they drain: there an error counts as
   * no.
   */
  boolean isClusterActive(String clusterId);

  /** Frees what the service holds. It may come at any time, and should free a call that hangs. */
  @Override
  void close();
}
