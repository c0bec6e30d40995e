// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
final class ProtobufTable {
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
