// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tree helpers over one shared mapper; any thread. */
public final class Json {
  private static final ObjectMapper MAPPER = JsonMapper.builder().build();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Json() {}

  /** Returns a new empty object. */
  public static ObjectNode object() {
    return NODES.objectNode();
  }

  /** Returns a new empty list. */
  public static ArrayNode array() {
    return NODES.arrayNode();
  }

  /** Returns a text node. */
  public static JsonNode text(String value) {
    return NODES.textNode(value);
  }

  /** Returns the shared mapper; it is never reconfigured. */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /** Prints a tree as UTF-8 JSON without white space. */
  public static byte[] bytes(JsonNode node) {
    try {
      return MAPPER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parses JSON that this server has printed itself. */
  public static ObjectNode parseOwn(byte[] json) {
    try {
      return (ObjectNode) MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Parses a value that is part of this program. */
  public static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Splits words at white space. */
  public static List<String> words(String text) {
    return List.of(text.strip().split("\\s+"));
  }

  /** The items of a list as text, in a new list; empty without a list. */
  public static List<String> texts(@Nullable JsonNode list) {
    List<String> texts = new ArrayList<>();
    if (list != null) {
      list.forEach(item -> texts.add(item.asText()));
    }
    return texts;
  }

  /** The type of a value as Go's decoder names it. */
  public static String goType(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "array";
      case STRING -> "string";
      case BOOLEAN -> "bool";
      default -> "number";
    };
  }

  /** The first line of the message of a failure. */
  public static String firstLine(Exception e) {
    if (e instanceof JsonEOFException) {
      return "unexpected end of JSON input"; // as the real server says it
    }
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  /** Reads a text file that is part of this program, beside a class. */
  public static List<String> lines(Class<?> beside, String file) {
    try (InputStream in = beside.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the object under {@code field}, or null when there is none. */
  public static @Nullable ObjectNode child(JsonNode node, String field) {
    return node.get(field) instanceof ObjectNode found ? found : null;
  }

  /**
   * Returns the object under {@code field}, creating it (or replacing something that is no object).
   */
  public static ObjectNode ensure(ObjectNode node, String field) {
    return node.get(field) instanceof ObjectNode found ? found : node.putObject(field);
  }

  /** Returns the list under {@code field}, creating it. */
  public static ArrayNode ensureArray(ObjectNode node, String field) {
    return node.get(field) instanceof ArrayNode found ? found : node.putArray(field);
  }

  /** Returns the text under {@code field}, or an empty string. */
  public static String text(@Nullable JsonNode node, String field) {
    if (node == null) {
      return "";
    }
    JsonNode value = node.get(field);
    return value != null && value.isTextual() ? value.textValue() : "";
  }

  /** Follows {@code path} through objects; null when it ends early. */
  public static @Nullable JsonNode at(JsonNode node, String... path) {
    JsonNode here = node;
    for (String step : path) {
      JsonNode next = here.get(step);
      if (next == null) {
        return null;
      }
      here = next;
    }
    return here;
  }

  /** Sets {@code field} when it is missing or null. */
  public static void putDefault(ObjectNode node, String field, JsonNode value) {
    if (!node.hasNonNull(field)) {
      node.set(field, value);
    }
  }

  /** Sets the text {@code field} when it is missing or null. */
  public static void putDefault(ObjectNode node, String field, String value) {
    if (!node.hasNonNull(field)) {
      node.put(field, value);
    }
  }

  /** Sets the number {@code field} when it is missing or null. */
  public static void putDefault(ObjectNode node, String field, int value) {
    if (!node.hasNonNull(field)) {
      node.put(field, value);
    }
  }

  /** Copies {@code field} from one object to another; removes it when the source has none. */
  public static void carry(ObjectNode from, ObjectNode to, String field) {
    JsonNode value = from.get(field);
    if (value == null) {
      to.remove(field);
    } else {
      to.set(field, value.deepCopy());
    }
  }
}
