package io.github.dynamickafka.spark;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.github.dynamickafka.spark.offsets.OffsetTime;

/**
 * Where reading starts or ends: the forms of docs/reference/offsets.md as a value. Immutable.
 *
 * <p>One point holds for everything except what {@code cluster}, {@code topic} or {@code partition} name.
 * {@link #byName()} begins without a point, and leaves what is not named to the option's default.
 *
 * <pre>{@code
 * Offsets.earliest()
 * Offsets.latest().cluster("eu-1", Offsets.earliest())
 * Offsets.byName().cluster("eu-1", Offsets.latest().topic("orders", Offsets.byName().partition(0, 1200)))
 * }</pre>
 */
public final class Offsets {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** What a value names below itself. */
  private enum Names {
    NOTHING,
    PARTITIONS,
    TOPICS,
    CLUSTERS
  }

  // Null: no point.
  private final JsonNode point;
  private final Names names;
  private final Map<String, JsonNode> named;

  private Offsets(JsonNode point, Names names, Map<String, JsonNode> named) {
    this.point = point;
    this.names = names;
    this.named = named;
  }

  private static Offsets point(JsonNode point) {
    return new Offsets(point, Names.NOTHING, Map.of());
  }

  /** The oldest records that Kafka has. */
  public static Offsets earliest() {
    return point(JSON.textNode("earliest"));
  }

  /** The ends of the partitions at that time. */
  public static Offsets latest() {
    return point(JSON.textNode("latest"));
  }

  /**
   * The first records at or after this time.
   *
   * @throws IllegalArgumentException if Kafka has no such time: before 1970, or too far ahead
   */
  public static Offsets timestamp(Instant time) {
    return point(JSON.objectNode().put("timestamp", OffsetTime.required(time)));
  }

  /**
   * What a consumer group has committed on the cluster.
   *
   * @param otherwise one point, for partitions that the group has committed nothing for
   * @throws IllegalArgumentException if the group is blank, or {@code otherwise} is not one point
   */
  public static Offsets committed(String group, Offsets otherwise) {
    if (group.isBlank()) {
      throw new IllegalArgumentException("The name of the consumer group is blank.");
    }
    otherwise.require(Names.NOTHING, "Without a commit of group " + group);
    return point(JSON.objectNode().put("committed", group).set("otherwise", otherwise.node()));
  }

  /** Nothing yet: only what is named gets offsets. */
  public static Offsets byName() {
    return point(null);
  }

  /**
   * The same, with the offsets of one cluster.
   *
   * @param offsets one point, or offsets by topic
   * @throws IllegalArgumentException if the id is empty, or these offsets are not by cluster
   */
  public Offsets cluster(String clusterId, Offsets offsets) {
    if (clusterId.isEmpty()) {
      throw new IllegalArgumentException("The id of the cluster is empty.");
    }
    offsets.require(Names.TOPICS, "Cluster " + clusterId);
    return with(Names.CLUSTERS, clusterId, offsets);
  }

  /**
   * The same, with the offsets of one topic.
   *
   * @param offsets one point, or offsets by partition
   * @throws IllegalArgumentException if these offsets are not by topic
   */
  public Offsets topic(String topic, Offsets offsets) {
    offsets.require(Names.PARTITIONS, "Topic " + topic);
    return with(Names.TOPICS, topic, offsets);
  }

  /**
   * The same, with the offset of one partition: the next one to read as a start, the first one not to read as an end.
   *
   * @throws IllegalArgumentException if a number is negative, or these offsets are not by partition
   */
  public Offsets partition(int partition, long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException(
          "The offset " + offset + " of partition " + partition + " is negative. Write earliest() or latest().");
    }
    return partition(partition, point(JSON.numberNode(offset)));
  }

  /**
   * The same, with the point of one partition.
   *
   * @param offsets one point
   * @throws IllegalArgumentException if the number is negative, or these offsets are not by partition
   */
  public Offsets partition(int partition, Offsets offsets) {
    if (partition < 0) {
      throw new IllegalArgumentException("The number " + partition + " of a partition is negative.");
    }
    offsets.require(Names.NOTHING, "Partition " + partition);
    return with(Names.PARTITIONS, Integer.toString(partition), offsets);
  }

  private Offsets with(Names names, String name, Offsets offsets) {
    if (this.names != Names.NOTHING && this.names != names) {
      throw new IllegalArgumentException(
          "Offsets by " + word(this.names) + " can't name the " + word(names) + " " + name + ".");
    }
    Map<String, JsonNode> all = new TreeMap<>(named);
    JsonNode node = offsets.node();
    // `{"committed": "latest"}` would be a group's name, and such a text under `timestamp` a time.
    boolean misread = node.isTextual() && (name.equals("committed") || name.equals("timestamp"));
    all.put(name, misread ? JSON.objectNode().set("*", node) : node);
    return new Offsets(point, names, all);
  }

  /** For an option: by cluster, or one point. */
  String ofOption() {
    require(Names.CLUSTERS, "The option");
    return toString();
  }

  /** For one cluster: by topic, or one point. */
  String ofCluster() {
    require(Names.TOPICS, "The metadata of a cluster");
    return toString();
  }

  private void require(Names allowed, String who) {
    boolean onePoint = point != null && names == Names.NOTHING;
    if (!onePoint && (allowed == Names.NOTHING || names != Names.NOTHING && names != allowed)) {
      String or = allowed == Names.NOTHING ? "" : ", or offsets by " + word(allowed);
      throw new IllegalArgumentException(who + " got offsets by " + word(names) + "; it takes one point" + or + ".");
    }
  }

  private static String word(Names names) {
    return switch (names) {
      case NOTHING -> "name";
      case PARTITIONS -> "partition";
      case TOPICS -> "topic";
      case CLUSTERS -> "cluster";
    };
  }

  private JsonNode node() {
    if (names == Names.NOTHING && point != null) {
      return point;
    }
    ObjectNode node = JSON.objectNode();
    if (point != null) {
      node.set(names == Names.CLUSTERS ? "" : "*", point);
    }
    return node.setAll(named);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Offsets that && names == that.names && node().equals(that.node());
  }

  @Override
  public int hashCode() {
    return Objects.hash(names, node());
  }

  /** The text that the options take: {@code earliest}, {@code latest} or JSON. */
  @Override
  public String toString() {
    JsonNode node = node();
    return node.isTextual() ? node.textValue() : node.toString();
  }
}
