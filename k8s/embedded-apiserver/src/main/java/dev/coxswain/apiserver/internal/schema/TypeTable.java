// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import dev.coxswain.apiserver.internal.json.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shapes of the built-in types, read from {@code types.txt}; any thread.
 *
 * <p>One line per type: name, then {@code field:type}. Types: {@code s} text, {@code i} integer,
 * {@code n} number, {@code b} boolean, {@code t} time, {@code mt} time with microseconds, {@code y}
 * bytes, {@code q} quantity, {@code io} integer or text, {@code a} anything, {@code [x]} list,
 * <code>{x}</code> map, else the name of a type. Behind a list, {@code @k,l} names its keys and
 * {@code @=} makes it a set; {@code !} behind a field or a type name makes it atomic; {@code *} as
 * the only field keeps everything.
 */
public final class TypeTable {
  private static final TypeTable INSTANCE = new TypeTable();

  private final Map<String, String> lines = new HashMap<>();
  private final Map<String, Schema> loaded = new HashMap<>();

  private TypeTable() {
    for (String line : Json.lines(TypeTable.class, "types.txt")) {
      int space = line.indexOf(' ');
      if (space > 0) {
        lines.put(line.substring(0, space), line.substring(space + 1));
      }
    }
  }

  /** Returns the shape of a built-in type by its table name; fails for an unknown one. */
  public static Schema type(String name) {
    synchronized (INSTANCE) { // several servers of one process share the table
      return INSTANCE.load(name);
    }
  }

  private Schema load(String name) {
    Schema known = loaded.get(name);
    if (known != null) {
      return known;
    }
    String line = lines.get(name);
    if (line == null) {
      throw new IllegalArgumentException("no built-in type \"" + name + "\"");
    }
    Schema schema = new Schema(Schema.Type.OBJECT);
    schema.reference = name;
    loaded.put(name, schema); // before its fields: types may contain themselves
    Map<String, Schema> fields = new LinkedHashMap<>();
    for (String word : line.split(" ", -1)) {
      int colon = word.indexOf(':');
      if (word.equals("!")) {
        schema.merge = Schema.Merge.ATOMIC;
      } else if (word.equals("*")) {
        schema.preserveUnknown = true;
      } else if (colon > 0) {
        fields.put(word.substring(0, colon), parse(word.substring(colon + 1)));
      }
    }
    schema.properties = fields;
    return schema;
  }

  private Schema parse(String text) {
    boolean atomic = text.endsWith("!");
    String body = atomic ? text.substring(0, text.length() - 1) : text;
    int at = body.indexOf('@');
    String keys = at < 0 ? "" : body.substring(at + 1);
    body = at < 0 ? body : body.substring(0, at);
    Schema schema = shape(body);
    if (keys.equals("=")) {
      schema.merge = Schema.Merge.SET;
    } else if (!keys.isEmpty()) {
      schema.merge = Schema.Merge.GRANULAR;
      schema.keys = List.of(keys.split(","));
    } else if (atomic) {
      schema.merge = Schema.Merge.ATOMIC;
    }
    return schema;
  }

  private Schema shape(String body) {
    if (body.startsWith("[") || body.startsWith("{")) {
      Schema schema = new Schema(body.startsWith("[") ? Schema.Type.LIST : Schema.Type.MAP);
      schema.element = parse(body.substring(1, body.length() - 1));
      return schema;
    }
    return switch (body) {
      case "s" -> new Schema(Schema.Type.TEXT);
      case "y" -> {
        Schema bytes = new Schema(Schema.Type.TEXT);
        bytes.base64 = true;
        yield bytes;
      }
      case "i" -> new Schema(Schema.Type.INTEGER);
      case "n" -> new Schema(Schema.Type.NUMBER);
      case "b" -> new Schema(Schema.Type.BOOLEAN);
      case "t" -> new Schema(Schema.Type.TIME);
      case "mt" -> new Schema(Schema.Type.MICRO_TIME);
      case "io" -> new Schema(Schema.Type.INT_OR_TEXT);
      case "q" -> {
        Schema quantity = new Schema(Schema.Type.INT_OR_TEXT);
        quantity.quantity = true;
        yield quantity;
      }
      case "a" -> new Schema(Schema.Type.ANY);
      default -> load(body);
    };
  }
}
