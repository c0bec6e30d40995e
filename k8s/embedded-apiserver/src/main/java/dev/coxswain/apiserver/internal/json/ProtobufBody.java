// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the few kinds that {@code kubectl create} and {@code kubectl auth can-i} send in
 * Kubernetes' protobuf encoding, without a way back to JSON; any thread.
 */
public final class ProtobufBody {
  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final int MAX_DEPTH = 20;

  /**
   * Messages as {@code number:name:type}; {@code s} text, {@code i} integer, {@code b} boolean,
   * {@code m} map of text, {@code y} map of bytes, {@code *} behind a type a list, else a message.
   */
  private static final Map<String, Map<Integer, String[]>> MESSAGES =
      messages(
          """
          Unknown 1:typeMeta:TypeMeta 2:raw:r
          TypeMeta 1:apiVersion:s 2:kind:s
          ObjectMeta 1:name:s 2:generateName:s 3:namespace:s 6:resourceVersion:s 11:labels:m 12:annotations:m 14:finalizers:s*
          Namespace 1:metadata:ObjectMeta
          ServiceAccount 1:metadata:ObjectMeta
          ConfigMap 1:metadata:ObjectMeta 2:data:m 3:binaryData:y 4:immutable:b
          Secret 1:metadata:ObjectMeta 2:data:y 3:type:s 4:stringData:m 5:immutable:b
          Role 1:metadata:ObjectMeta 2:rules:PolicyRule*
          ClusterRole 1:metadata:ObjectMeta 2:rules:PolicyRule*
          PolicyRule 1:verbs:s* 2:apiGroups:s* 3:resources:s* 4:resourceNames:s* 5:nonResourceURLs:s*
          RoleBinding 1:metadata:ObjectMeta 2:subjects:Subject* 3:roleRef:RoleRef
          ClusterRoleBinding 1:metadata:ObjectMeta 2:subjects:Subject* 3:roleRef:RoleRef
          Subject 1:kind:s 2:apiGroup:s 3:name:s 4:namespace:s
          RoleRef 1:apiGroup:s 2:kind:s 3:name:s
          SelfSubjectAccessReview 1:metadata:ObjectMeta 2:spec:AccessSpec
          AccessSpec 1:resourceAttributes:ResourceAttributes 2:nonResourceAttributes:PathAttributes
          ResourceAttributes 1:namespace:s 2:verb:s 3:group:s 4:version:s 5:resource:s 6:subresource:s 7:name:s
          PathAttributes 1:path:s 2:verb:s
          SelfSubjectRulesReview 1:metadata:ObjectMeta 2:spec:RulesSpec
          RulesSpec 1:namespace:s
          SelfSubjectReview 1:metadata:ObjectMeta
          """);

  private final byte[] bytes;
  private final int end;
  private int at;

  private ProtobufBody(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Decodes a body; null when its kind is not one of the few. */
  public static @Nullable ObjectNode parse(byte[] body) throws IOException {
    if (body.length < MAGIC.length || !Arrays.equals(Arrays.copyOf(body, MAGIC.length), MAGIC)) {
      throw new IOException("the body does not start with the Kubernetes protobuf marker");
    }
    ObjectNode envelope = new ProtobufBody(body, MAGIC.length, body.length).message("Unknown", 0);
    String kind = Json.text(envelope.get("typeMeta"), "kind");
    if (!MESSAGES.containsKey(kind) || !envelope.has("raw")) {
      return null;
    }
    byte[] raw = Base64.getDecoder().decode(Json.text(envelope, "raw"));
    ObjectNode object = new ProtobufBody(raw, 0, raw.length).message(kind, 0);
    return object
        .put("kind", kind)
        .put("apiVersion", Json.text(envelope.get("typeMeta"), "apiVersion"));
  }

  private static Map<String, Map<Integer, String[]>> messages(String table) {
    Map<String, Map<Integer, String[]>> messages = new HashMap<>();
    for (String line : table.lines().toList()) {
      List<String> words = Arrays.asList(line.split(" ", -1));
      Map<Integer, String[]> fields = new HashMap<>();
      for (String word : words.subList(1, words.size())) {
        String[] parts = word.split(":", -1);
        fields.put(Integer.valueOf(parts[0]), new String[] {parts[1], parts[2]});
      }
      messages.put(words.getFirst(), fields);
    }
    return messages;
  }

  private ObjectNode message(String name, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("protobuf body is nested too deeply");
    }
    Map<Integer, String[]> fields = MESSAGES.getOrDefault(name, Map.of());
    ObjectNode object = Json.object();
    while (at < end) {
      long tag = varint();
      String[] field = fields.get((int) (tag >>> 3));
      switch ((int) (tag & 7)) {
        case 0 -> number(object, field, varint());
        case 1 -> skip(8);
        case 2 -> {
          int length = (int) Math.min(varint() & Long.MAX_VALUE, Integer.MAX_VALUE);
          int start = at;
          skip(length);
          if (field != null) {
            bytes(object, field[0], field[1], start, depth);
          }
        }
        case 5 -> skip(4);
        default -> throw new IOException("malformed protobuf body");
      }
    }
    return object;
  }

  private static void number(ObjectNode object, String @Nullable [] field, long value) {
    if (field != null && field[1].equals("b")) {
      object.put(field[0], value != 0);
    } else if (field != null && field[1].equals("i")) {
      object.put(field[0], value);
    }
  }

  private void bytes(ObjectNode object, String name, String type, int start, int depth)
      throws IOException {
    switch (type) {
      case "s" -> text(object, name, text(start, at));
      case "s*" -> Json.ensureArray(object, name).add(text(start, at));
      case "r" ->
          object.put(
              name, Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, start, at)));
      case "m", "y" ->
          new ProtobufBody(bytes, start, at).entry(Json.ensure(object, name), type.equals("y"));
      default -> {
        boolean list = type.endsWith("*");
        String message = list ? type.substring(0, type.length() - 1) : type;
        ObjectNode inner = new ProtobufBody(bytes, start, at).message(message, depth + 1);
        if (list) {
          Json.ensureArray(object, name).add(inner);
        } else {
          object.set(name, inner);
        }
      }
    }
  }

  /** Go prints empty texts in this encoding where JSON would leave them out. */
  private static void text(ObjectNode object, String name, String text) {
    if (!text.isEmpty()) {
      object.put(name, text);
    }
  }

  private void entry(ObjectNode map, boolean binary) throws IOException {
    String key = "";
    String value = "";
    while (at < end) {
      long tag = varint();
      int length = (int) Math.min(varint() & Long.MAX_VALUE, Integer.MAX_VALUE);
      int start = at;
      skip(length);
      if (tag == 10) {
        key = text(start, at);
      } else if (tag == 18) {
        value =
            binary
                ? Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, start, at))
                : text(start, at);
      }
    }
    map.put(key, value);
  }

  private String text(int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  private void skip(int count) throws IOException {
    if (count > end - at) {
      throw new IOException("protobuf body ends early");
    }
    at += count;
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
}
