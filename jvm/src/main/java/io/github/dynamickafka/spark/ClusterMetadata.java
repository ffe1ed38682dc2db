package io.github.dynamickafka.spark;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The topics of one cluster that carry part of a stream, and how to reach the cluster. Immutable.
 *
 * <p>The address is the property {@code bootstrap.servers}. The text form shows no property's value.
 */
public final class ClusterMetadata {
  private final Set<String> topics;
  private final Map<String, String> properties;
  private final String startingOffsets;
  private final String endingOffsets;

  /**
   * @param topics the topics; none at all keeps the cluster listed for its connection alone, while its topics drain
   * @param properties Kafka's own client properties, which beat the query's {@code kafka.*} options
   * @throws NullPointerException if anything is null
   */
  public ClusterMetadata(Set<String> topics, Map<String, String> properties) {
    this(topics, properties, null, null);
  }

  private ClusterMetadata(
      Set<String> topics, Map<String, String> properties, String startingOffsets, String endingOffsets) {
    this.topics = Collections.unmodifiableSet(new TreeSet<>(topics));
    this.properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    this.properties.forEach((key, value) -> Objects.requireNonNull(value, () -> "property " + key + " is null"));
    this.startingOffsets = startingOffsets;
    this.endingOffsets = endingOffsets;
  }

  /** The same, with starting offsets of its own: {@code earliest}, {@code latest}, or JSON by topic and partition. */
  public ClusterMetadata withStartingOffsets(String json) {
    return new ClusterMetadata(topics, properties, Objects.requireNonNull(json), endingOffsets);
  }

  /** The same, with ending offsets of its own, exclusive, in the same forms. */
  public ClusterMetadata withEndingOffsets(String json) {
    return new ClusterMetadata(topics, properties, startingOffsets, Objects.requireNonNull(json));
  }

  /** The topics, sorted. Unmodifiable. */
  public Set<String> getTopics() {
    return topics;
  }

  /** Kafka's client properties, sorted. Unmodifiable. They may hold secrets. */
  public Map<String, String> getProperties() {
    return properties;
  }

  public Optional<String> getStartingOffsets() {
    return Optional.ofNullable(startingOffsets);
  }

  public Optional<String> getEndingOffsets() {
    return Optional.ofNullable(endingOffsets);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterMetadata that
        && topics.equals(that.topics)
        && properties.equals(that.properties)
        && Objects.equals(startingOffsets, that.startingOffsets)
        && Objects.equals(endingOffsets, that.endingOffsets);
  }

  @Override
  public int hashCode() {
    return Objects.hash(topics, properties, startingOffsets, endingOffsets);
  }

  /** Names the properties, but shows none of their values. */
  @Override
  public String toString() {
    return "ClusterMetadata(topics=" + topics + ", properties=" + properties.keySet() + ")";
  }
}
