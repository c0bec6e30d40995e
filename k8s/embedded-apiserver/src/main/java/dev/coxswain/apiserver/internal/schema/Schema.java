// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.cel.CelRule;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shape of one value: what it may be and how it merges; immutable once handed out, any thread.
 *
 * <p>Built-in types and custom resources use the same class. Rules that only custom resources have
 * are in {@link #rules()}.
 */
public final class Schema {
  /** The type of a value. */
  public enum Type {
    /** Fields by name. */
    OBJECT,
    /** Any text keys, values of one shape. */
    MAP,
    LIST,
    TEXT,
    INTEGER,
    NUMBER,
    BOOLEAN,
    /** A number or text, as ports and quantities are. */
    INT_OR_TEXT,
    /** A point in time with seconds. */
    TIME,
    /** A point in time with microseconds. */
    MICRO_TIME,
    /** Any value. */
    ANY
  }

  /** The ways in which lists (and maps) merge under server-side apply. */
  public enum Merge {
    /** Replaced as a whole. */
    ATOMIC,
    /** Field by field; lists: items found by {@link Schema#keys()}. */
    GRANULAR,
    /** A list of distinct scalars. */
    SET
  }

  /** Settings that the builder-like setters of this package collect. */
  final Type type;

  Merge merge;
  Map<String, Schema> properties = Map.of();
  @Nullable Schema element;
  List<String> keys = List.of();
  @Nullable String reference;
  boolean preserveUnknown;
  boolean nullable;
  boolean embedded;
  boolean custom;
  boolean base64;
  boolean quantity;
  @Nullable JsonNode defaultValue;
  @Nullable Rules rules;
  String description = "";
  List<CelRule> expressions = List.of();
  @Nullable Schema metadata;
  @Nullable ObjectNode source;

  Schema(Type type) {
    this.type = type;
    this.merge = type == Type.LIST ? Merge.ATOMIC : Merge.GRANULAR;
  }

  static final Schema ANY = new Schema(Type.ANY);

  public Type type() {
    return type;
  }

  public Merge merge() {
    return merge;
  }

  /** True for a list whose items are found by {@link #keys()}. */
  public boolean keyedList() {
    return type == Type.LIST && merge == Merge.GRANULAR && !keys.isEmpty();
  }

  /** Fields that identify an item of a keyed list; strategic merge patch uses the first. */
  public List<String> keys() {
    return keys;
  }

  /** Returns the fields by name. */
  public Map<String, Schema> properties() {
    return properties;
  }

  /** Shape of list items or map values; null = anything. */
  public @Nullable Schema element() {
    return element;
  }

  /** Name of the built-in type, when this is one. */
  public @Nullable String reference() {
    return reference;
  }

  /** True when unknown fields are kept. */
  public boolean preserveUnknown() {
    return preserveUnknown || type == Type.ANY;
  }

  public boolean nullable() {
    return nullable;
  }

  /** True for a whole object inside an object. */
  public boolean embedded() {
    return embedded;
  }

  /** True when this belongs to a custom resource: nothing is dropped for being empty. */
  public boolean custom() {
    return custom;
  }

  /** True for a quantity, which has one form whatever was sent. */
  public boolean quantity() {
    return quantity;
  }

  /** True for text that encodes bytes. */
  public boolean base64() {
    return base64;
  }

  /** The schema as a definition has it; null for others. Not to be changed. */
  public @Nullable ObjectNode source() {
    return source;
  }

  /** What a definition demands of names of its objects; null for nothing. */
  @Nullable Schema metadata() {
    return metadata;
  }

  public @Nullable JsonNode defaultValue() {
    return defaultValue;
  }

  /** Value rules of a custom resource, null for none. */
  public @Nullable Rules rules() {
    return rules;
  }

  /** Returns the description in the definition, or an empty text. */
  public String description() {
    return description;
  }

  /** Rules in the expression language. */
  public List<CelRule> expressions() {
    return expressions;
  }

  /** True when this or something inside has rules in the expression language. */
  public boolean hasExpressions() {
    if (!expressions.isEmpty()) {
      return true;
    }
    // only custom schemas have rules, and those do not contain themselves
    return (element != null && element.custom && element.hasExpressions())
        || properties.values().stream().anyMatch(p -> p.custom && p.hasExpressions());
  }

  /** Returns the shape of a field, list item or map value; {@link Type#ANY} when unknown. */
  public Schema field(String name) {
    Schema found = properties.get(name);
    if (found != null) {
      return found;
    }
    return type == Type.MAP && element != null ? element : ANY;
  }

  /** Returns the shape of list items. */
  public Schema items() {
    return element == null ? ANY : element;
  }

  /** Returns whether the name is a field, or any name is. */
  public boolean hasField(String name) {
    return properties.containsKey(name) || type == Type.MAP || preserveUnknown();
  }
}
