// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads built-in objects in Kubernetes' protobuf encoding, which typed Go clients (and so {@code
 * kubectl create}) send; answers are never written in it. Any thread.
 */
public final class ProtobufBody {
  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final int MAX_DEPTH = 40;

  /** Messages whose fields are, in JSON, fields of the object around them. */
  private static final Set<String> INLINE =
      Set.copyOf(
          Json.words(
              """
              volumeSource persistentVolumeSource handler localObjectReference ingressRuleValue
              ephemeralContainerCommon
              """));

  /**
   * Fields that are pointers in Go, so that zero is a value; other zeros are what Go prints for an
   * unset field.
   */
  private static final Set<String> POINTERS =
      Set.copyOf(
          Json.words(
              """
              activeDeadlineSeconds allocateLoadBalancerNodePorts allowPrivilegeEscalation
              automountServiceAccountToken averageUtilization backoffLimit blockOwnerDeletion
              completions controller defaultMode deletionGracePeriodSeconds enableServiceLinks
              expirationSeconds failedJobsHistoryLimit fsGroup gracePeriodSeconds hostUsers
              immutable leaseDurationSeconds leaseTransitions manualSelector minReplicas mode
              optional orphanDependents parallelism partition priority privileged
              progressDeadlineSeconds readOnlyRootFilesystem ready replicas revisionHistoryLimit
              runAsGroup runAsNonRoot runAsUser serving setHostnameAsFQDN shareProcessNamespace
              startingDeadlineSeconds successfulJobsHistoryLimit suspend terminating
              terminationGracePeriodSeconds timeoutSeconds tolerationSeconds
              ttlSecondsAfterFinished value
              """));

  private final byte[] bytes;
  private final int end;
  private int at;

  private ProtobufBody(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Decodes a body; null when its kind is not in the table. */
  public static @Nullable ObjectNode parse(byte[] body) throws IOException {
    if (body.length < MAGIC.length || !Arrays.equals(Arrays.copyOf(body, MAGIC.length), MAGIC)) {
      throw new IOException("the body does not start with the Kubernetes protobuf marker");
    }
    ObjectNode envelope =
        new ProtobufBody(body, MAGIC.length, body.length).message(fields("", "Unknown"), 0);
    String apiVersion = Json.text(envelope.get("typeMeta"), "apiVersion");
    String kind = Json.text(envelope.get("typeMeta"), "kind");
    Map<Integer, ProtobufTable.Field> root = ProtobufTable.message(apiVersion, kind);
    if (root == null) {
      return null;
    }
    byte[] raw = Base64.getDecoder().decode(Json.text(envelope, "raw"));
    ObjectNode object = Json.object().put("kind", kind).put("apiVersion", apiVersion);
    object.setAll(new ProtobufBody(raw, 0, raw.length).message(root, 0));
    return object;
  }

  private static Map<Integer, ProtobufTable.Field> fields(String apiVersion, String name) {
    Map<Integer, ProtobufTable.Field> found = ProtobufTable.message(apiVersion, name);
    return found == null ? Map.of() : found;
  }

  private ObjectNode message(Map<Integer, ProtobufTable.Field> fields, int depth)
      throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("protobuf body is nested too deeply");
    }
    ObjectNode object = Json.object();
    while (at < end) {
      long tag = varint();
      ProtobufTable.Field field = fields.get((int) (tag >>> 3));
      switch ((int) (tag & 7)) {
        case 0 -> number(object, field, varint());
        case 1 -> {
          long bits = fixed();
          if (field != null && field.type().equals("d")) {
            object.put(field.name(), Double.longBitsToDouble(bits));
          }
        }
        case 2 -> {
          int length = length();
          int start = at;
          skip(length);
          if (field != null) {
            new ProtobufBody(bytes, start, at).put(object, field, depth);
          }
        }
        case 5 -> skip(4);
        default -> throw new IOException("malformed protobuf body");
      }
    }
    return object;
  }

  private static void number(ObjectNode object, ProtobufTable.@Nullable Field field, long value) {
    if (field == null) {
      return;
    }
    if (field.list()) {
      Json.ensureArray(object, field.name()).add(value);
    } else if (value != 0 || POINTERS.contains(field.name())) {
      if (field.type().equals("b")) {
        object.put(field.name(), value != 0);
      } else {
        object.put(field.name(), value);
      }
    }
  }

  /** Writes the rest of this piece, the value of a field, to {@code object}. */
  private void put(ObjectNode object, ProtobufTable.Field field, int depth) throws IOException {
    if (field.map()) {
      entry(Json.ensure(object, field.name()), field.type(), depth);
      return;
    }
    JsonNode value = value(field.type(), depth);
    if (field.list()) {
      Json.ensureArray(object, field.name()).add(value);
    } else if (INLINE.contains(field.name()) && value instanceof ObjectNode inner) {
      object.setAll(inner);
    } else if (!value.isNull() && !(value.isTextual() && value.textValue().isEmpty())) {
      object.set(field.name(), value);
    }
  }

  private JsonNode value(String type, int depth) throws IOException {
    switch (type) {
      case "s" -> {
        return Json.text(rest());
      }
      case "y" -> {
        return Json.text(Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, at, end)));
      }
      default -> {}
    }
    if (!WRAPPED.containsKey(type)) {
      return message(fields("", type), depth + 1);
    }
    ObjectNode inner = message(WRAPPED.getOrDefault(type, Map.of()), depth + 1);
    return switch (type) {
      case "time", "micro" -> time(inner, type.equals("micro"));
      case "intstr" ->
          inner.path("type").asInt() == 0
              ? Json.mapper().getNodeFactory().numberNode(inner.path("int").asInt())
              : Json.text(Json.text(inner, "text"));
      case "raw" ->
          inner.has("raw")
              ? Json.mapper().readTree(Base64.getDecoder().decode(Json.text(inner, "raw")))
              : Json.mapper().nullNode();
      case "texts" -> inner.has("items") ? inner.path("items") : Json.array();
      default -> Json.text(Json.text(inner, "text"));
    };
  }

  private static JsonNode time(ObjectNode inner, boolean micro) {
    if (!inner.has("seconds")) {
      return Json.mapper().nullNode();
    }
    Instant instant =
        Instant.ofEpochSecond(inner.path("seconds").asLong(), inner.path("nanos").asLong());
    return Json.text(
        instant.truncatedTo(micro ? ChronoUnit.MICROS : ChronoUnit.SECONDS).toString());
  }

  /** Types that JSON writes as plain values, and what is inside them. */
  private static final Map<String, Map<Integer, ProtobufTable.Field>> WRAPPED =
      Map.of(
          "time", Map.of(1, plain("seconds", "i"), 2, plain("nanos", "i")),
          "micro", Map.of(1, plain("seconds", "i"), 2, plain("nanos", "i")),
          "quantity", Map.of(1, plain("text", "s")),
          "intstr", Map.of(1, plain("type", "i"), 2, plain("int", "i"), 3, plain("text", "s")),
          "raw", Map.of(1, plain("raw", "y")),
          "texts", Map.of(1, new ProtobufTable.Field("items", "s", true, false)));

  private static ProtobufTable.Field plain(String name, String type) {
    return new ProtobufTable.Field(name, type, false, false);
  }

  private void entry(ObjectNode map, String type, int depth) throws IOException {
    String key = "";
    JsonNode value = Json.text("");
    while (at < end) {
      long tag = varint();
      int length = length();
      int start = at;
      skip(length);
      ProtobufBody piece = new ProtobufBody(bytes, start, at);
      if (tag == 10) {
        key = piece.rest();
      } else if (tag == 18) {
        value = piece.value(type, depth);
      }
    }
    map.set(key, value);
  }

  private String rest() {
    return new String(bytes, at, end - at, StandardCharsets.UTF_8);
  }

  private int length() throws IOException {
    return (int) Math.min(varint() & Long.MAX_VALUE, Integer.MAX_VALUE);
  }

  private void skip(int count) throws IOException {
    if (count > end - at) {
      throw new IOException("protobuf body ends early");
    }
    at += count;
  }

  private long fixed() throws IOException {
    long value = 0;
    int start = at;
    skip(8);
    for (int i = 7; i >= 0; i--) {
      value = value << 8 | (bytes[start + i] & 0xff);
    }
    return value;
  }

  private long varint() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) {
        throw new IOException("protobuf body ends early");
      }
      byte b = bytes[at++];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IOException("malformed protobuf body");
  }

  /**
   * Field numbers of the built-in types in Kubernetes' protobuf encoding, read from {@code
   * protobuf.txt}; any thread.
   *
   * <p>One line per message: its name, then {@code number:name:type}. Types: {@code s} text, {@code
   * i} integer, {@code d} number, {@code b} boolean, {@code y} bytes, {@code time} and {@code micro}
   * points in time, {@code quantity}, {@code intstr} integer or text, {@code raw} embedded JSON,
   * {@code texts} a wrapped list of text, {@code [x]} list, <code>{x}</code> map with text keys, else
   * the name of a message.
   */
  private static final class ProtobufTable {
    /**
     * One field of a message; immutable.
     *
     * @param name name in JSON
     * @param type type as in the table, without the brackets of a list or map
     * @param list whether it repeats
     * @param map whether it is a map
     */
    record Field(String name, String type, boolean list, boolean map) {}

    private static final ProtobufTable INSTANCE = new ProtobufTable();

    private final Map<String, Map<Integer, Field>> messages = new HashMap<>();

    private ProtobufTable() {
      Json.lines(ProtobufTable.class, "protobuf.txt").forEach(this::message);
    }

    private void message(String line) {
      List<String> words = Arrays.asList(line.split(" ", -1));
      Map<Integer, Field> fields = new HashMap<>();
      for (String word : words.subList(1, words.size())) {
        String[] parts = word.split(":", -1);
        boolean list = parts[2].startsWith("[");
        boolean map = parts[2].startsWith("{");
        String type = list || map ? parts[2].substring(1, parts[2].length() - 1) : parts[2];
        fields.put(Integer.valueOf(parts[0]), new Field(parts[1], type, list, map));
      }
      messages.put(words.getFirst(), Map.copyOf(fields));
    }

    /** Returns the fields of a message by number, null when it is not in the table. */
    static @Nullable Map<Integer, Field> message(String apiVersion, String kind) {
      String name =
          switch (apiVersion + "/" + kind) {
            case "events.k8s.io/v1/Event" -> "events/Event";
            case "autoscaling/v1/HorizontalPodAutoscaler" -> "AutoscalingHorizontalPodAutoscaler";
            default -> kind;
          };
      return INSTANCE.messages.get(name);
    }
  }
}
