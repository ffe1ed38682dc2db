package io.github.dynamickafka.spark;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Answers which streams exist, and which topics on which Kafka clusters carry them.
 *
 * <p>The source calls it at regular intervals, only on the driver, from a separate thread. Calls on one object never
 * overlap. Whatever a method throws counts as a failed fetch: the source keeps the last topology. A class that the
 * option {@code metadataService} names needs a public constructor, either without parameters or with one
 * {@code Map<String, String>}, which receives its {@code metadataService.*} options.
 */
public interface KafkaMetadataService extends AutoCloseable {

  /** All streams. Used for patterns and by subscribers. */
  Set<KafkaStream> getAllStreams();

  /** The streams with these ids, by id. Leave out ids that the service does not know. */
  Map<String, KafkaStream> describeStreams(Collection<String> streamIds);

  /**
   * Whether a cluster is expected to answer. If not, it is read while it answers, and skipped when it does not. Asked
   * for listed clusters and for draining ones. An error for a cluster that is no longer listed counts as no.
   */
  boolean isClusterActive(String clusterId);

  /** Closes the service. It may be called at any time, and should end a call that hangs. */
  @Override
  void close();
}
