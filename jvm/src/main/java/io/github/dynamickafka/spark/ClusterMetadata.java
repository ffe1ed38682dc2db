package io.github.dynamickafka.spark;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The topics of one cluster that carry part of a stream, and how to reach the cluster. Immutable.
 *
 * <p>The address is the property {@code bootstrap.servers}. {@code toString} shows it, and the value of no other
 * property.
 */
public final class ClusterMetadata {
  private static final String ADDRESS = "bootstrap.servers";

  private final Set<String> topics;
  private final Map<String, String> properties;
  private final String startingOffsets;
  private final String endingOffsets;
  private final Set<String> continues;
  private final boolean paused;
  // Empty if the whole cluster is paused: equal pauses are equal values.
  private final Set<String> pausedTopics;

  /**
   * @param topics the topics; if empty, the cluster is listed only for its connection, while its topics drain
   * @param properties Kafka's own client properties; they win over the query's {@code kafka.*} options
   * @throws NullPointerException if anything is null
   */
  public ClusterMetadata(Set<String> topics, Map<String, String> properties) {
    this(topics, properties, null, null, Set.of(), false, Set.of());
    this.properties.forEach((key, value) -> Objects.requireNonNull(value, () -> "property " + key + " is null"));
  }

  private ClusterMetadata(
      Set<String> topics,
      Map<String, String> properties,
      String startingOffsets,
      String endingOffsets,
      Set<String> continues,
      boolean paused,
      Set<String> pausedTopics) {
    this.topics = Collections.unmodifiableSet(new TreeSet<>(topics));
    this.properties = Collections.unmodifiableMap(new TreeMap<>(properties));
    this.startingOffsets = startingOffsets;
    this.endingOffsets = endingOffsets;
    this.continues = Collections.unmodifiableSet(new TreeSet<>(continues));
    this.paused = paused;
    this.pausedTopics = paused ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(pausedTopics));
  }

  /** The same, with starting offsets of its own: {@code earliest}, {@code latest}, or JSON by topic and partition. */
  public ClusterMetadata withStartingOffsets(String json) {
    return new ClusterMetadata(
        topics, properties, Objects.requireNonNull(json), endingOffsets, continues, paused, pausedTopics);
  }

  /**
   * The same, by topic or as one point.
   *
   * @throws IllegalArgumentException if the offsets are by cluster or by partition
   */
  public ClusterMetadata withStartingOffsets(Offsets offsets) {
    return withStartingOffsets(offsets.ofCluster());
  }

  /** The same, with ending offsets of its own (exclusive), in the same forms. */
  public ClusterMetadata withEndingOffsets(String json) {
    return new ClusterMetadata(
        topics, properties, startingOffsets, Objects.requireNonNull(json), continues, paused, pausedTopics);
  }

  /**
   * The same, by topic or as one point.
   *
   * @throws IllegalArgumentException if the offsets are by cluster or by partition
   */
  public ClusterMetadata withEndingOffsets(Offsets offsets) {
    return withEndingOffsets(offsets.ofCluster());
  }

  /**
   * The same, but reading continues where an earlier cluster id was read to. If called several times, all ids count.
   *
   * <p>Either both ids are the same Kafka cluster under two names, or this one is a mirror that holds the same records
   * at the same offsets. The source can't check the latter.
   *
   * @throws NullPointerException if the id is null
   * @throws IllegalArgumentException if the id is empty
   */
  public ClusterMetadata continuing(String clusterId) {
    return continuing(List.of(clusterId));
  }

  /**
   * The same for several earlier ids. Name all of them, so that the list stays right if some are removed.
   *
   * @throws NullPointerException if an id is null
   * @throws IllegalArgumentException if an id is empty
   */
  public ClusterMetadata continuing(Collection<String> clusterIds) {
    Set<String> all = new TreeSet<>(continues);
    for (String id : clusterIds) {
      if (Objects.requireNonNull(id, "an id that the cluster continues is null").isEmpty()) {
        throw new IllegalArgumentException("an id that the cluster continues is empty");
      }
      all.add(id);
    }
    return new ClusterMetadata(topics, properties, startingOffsets, endingOffsets, all, paused, pausedTopics);
  }

  /** The same, with the whole cluster paused: its positions are held, and it is neither read nor drained. */
  public ClusterMetadata paused() {
    return new ClusterMetadata(topics, properties, startingOffsets, endingOffsets, continues, true, Set.of());
  }

  /**
   * The same, with these topics paused. If called several times, all topics count. A cluster that is paused as a whole
   * stays paused. To pause the drain of a topic that is no longer listed, name it here.
   *
   * @throws NullPointerException if a topic is null
   */
  public ClusterMetadata pausedTopics(Set<String> topics) {
    Set<String> all = new TreeSet<>(pausedTopics);
    all.addAll(topics);
    return new ClusterMetadata(this.topics, properties, startingOffsets, endingOffsets, continues, paused, all);
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

  /** The earlier cluster ids that this one continues, sorted. Unmodifiable. */
  public Set<String> getContinues() {
    return continues;
  }

  /** Whether the whole cluster is paused. */
  public boolean isPaused() {
    return paused;
  }

  /** The paused topics, sorted; empty if the whole cluster is paused. Unmodifiable. */
  public Set<String> getPausedTopics() {
    return pausedTopics;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterMetadata that
        && topics.equals(that.topics)
        && properties.equals(that.properties)
        && Objects.equals(startingOffsets, that.startingOffsets)
        && Objects.equals(endingOffsets, that.endingOffsets)
        && continues.equals(that.continues)
        && paused == that.paused
        && pausedTopics.equals(that.pausedTopics);
  }

  @Override
  public int hashCode() {
    return Objects.hash(topics, properties, startingOffsets, endingOffsets, continues, paused, pausedTopics);
  }

  /** Shows the address. Of all other properties it shows only the names, because their values may be secrets. */
  @Override
  public String toString() {
    Set<String> names = new TreeSet<>(properties.keySet());
    StringJoiner fields = new StringJoiner(", ", "ClusterMetadata(", ")").add("topics=" + topics);
    if (names.remove(ADDRESS)) {
      fields.add("bootstrapServers=" + properties.get(ADDRESS));
    }
    fields.add("properties=" + names);
    getStartingOffsets().ifPresent(text -> fields.add("startingOffsets=" + text));
    getEndingOffsets().ifPresent(text -> fields.add("endingOffsets=" + text));
    if (!continues.isEmpty()) {
      fields.add("continues=" + continues);
    }
    if (paused) {
      fields.add("paused=true");
    } else if (!pausedTopics.isEmpty()) {
      fields.add("paused=" + pausedTopics);
    }
    return fields.toString();
  }
}
