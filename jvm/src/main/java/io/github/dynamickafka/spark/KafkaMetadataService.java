package io.github.dynamickafka.spark;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Answers which streams exist, and which topics on which Kafka clusters carry them.
 *
 * <p>The source calls it on the driver alone, from a thread of its own, again and again. Calls on one object never
 * overlap. Whatever a method throws counts as a failed fetch: the source keeps the last topology. A class that the
 * option {@code metadataService} names needs a public constructor that takes a {@code Map<String, String>}, its
 * {@code metadataService.*} options, or one without parameters.
 */
public interface KafkaMetadataService extends AutoCloseable {

  /** All streams. Asked for patterns and by subscribers. */
  Set<KafkaStream> getAllStreams();

  /** The streams with these ids, by id. An id that the service does not know is left out of the answer. */
  Map<String, KafkaStream> describeStreams(Collection<String> streamIds);

  /**
   * Whether a cluster is expected to answer. If not, it is read as far as it answers, and skipped when it does not.
   * Asked of listed clusters, and of clusters that drain. For one that is no longer listed, an error counts as no.
   */
  boolean isClusterActive(String clusterId);

  /** Frees what the service holds. It may be called at any time, and should end a call that hangs. */
  @Override
  void close();
}
