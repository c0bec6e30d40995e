// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts a change of a class into the stored tree, from three trees: as stored, the class's encoding of
 * that (before), and its encoding of the changed object (after). Members that are in the stored tree
 * and in neither encoding are those that the class does not have.
 *
 * <p>Thread rule: confined to one change.
 */
final class TreeMerge {

  private static final JsonObject NO_MEMBERS = new JsonObject();
  private static final JsonArray NO_ELEMENTS = new JsonArray();

  private final ElementMarks marks;
  private final JsonObject before;
  private final JsonObject after;
  private final Map<Integer, JsonObject> beforeByMark = new HashMap<>();
  private final Map<Integer, Integer> usesByMark = new HashMap<>();

  TreeMerge(ElementMarks marks, JsonObject before, JsonObject after) {
    this.marks = marks;
    this.before = before;
    this.after = after;
    forMarks(before, beforeByMark::put);
    forMarks(after, (mark, _) -> usesByMark.merge(mark, 1, Integer::sum));
  }

  private interface MarkConsumer {
    void accept(Integer mark, JsonObject element);
  }

  private static void forMarks(JsonElement tree, MarkConsumer consumer) {
    if (tree instanceof JsonObject object) {
      Integer mark = ElementMarks.of(object);
      if (mark != null) {
        consumer.accept(mark, object);
      }
      object.asMap().values().forEach(value -> forMarks(value, consumer));
    } else if (tree instanceof JsonArray array) {
      array.forEach(value -> forMarks(value, consumer));
    }
  }

  JsonObject merged(JsonObject stored, ClassShape shape) {
    return object(stored, before, after, shape);
  }

  /** Returns the new value; null when nothing is stored and nothing has changed. */
  private @Nullable JsonElement value(
      @Nullable JsonElement stored, @Nullable JsonElement from, JsonElement to, ClassShape shape) {
    if (from != null && JsonEquality.same(from, to)) {
      return stored;
    }
    if (to instanceof JsonObject object) {
      return object(
          from instanceof JsonObject && stored instanceof JsonObject there ? there : NO_MEMBERS,
          from instanceof JsonObject known ? known : NO_MEMBERS,
          object,
          shape);
    }
    if (to instanceof JsonArray array) {
      return array(
          from instanceof JsonArray && stored instanceof JsonArray there ? there : NO_ELEMENTS,
          from instanceof JsonArray known ? known : NO_ELEMENTS,
          array,
          shape);
    }
    return to;
  }

  private JsonObject object(JsonObject stored, JsonObject from, JsonObject to, ClassShape shape) {
    JsonObject result = new JsonObject();
    for (Map.Entry<String, JsonElement> member : stored.entrySet()) {
      String name = member.getKey();
      JsonElement wanted = to.get(name);
      if (wanted != null && !wanted.isJsonNull()) {
        result.add(name, value(member.getValue(), from.get(name), wanted, shape.member(name)));
      } else if (!from.has(name) || (wanted != null && from.get(name).isJsonNull())) {
        result.add(name, member.getValue()); // not of the class, or null before and now
      }
    }
    for (Map.Entry<String, JsonElement> member : to.entrySet()) {
      String name = member.getKey();
      if (!stored.has(name) && !ElementMarks.isMark(name) && !member.getValue().isJsonNull()) {
        JsonElement added = value(null, from.get(name), member.getValue(), shape.member(name));
        if (added != null) {
          result.add(name, added);
        }
      }
    }
    return result;
  }

  private JsonArray array(JsonArray stored, JsonArray from, JsonArray to, ClassShape shape) {
    int[] origins = new ElementMatch(from, to, usesByMark.keySet(), shape.listKeys()).origins();
    JsonArray result = new JsonArray();
    for (int i = 0; i < to.size(); i++) {
      JsonElement wanted = to.get(i);
      Integer mark = ElementMarks.of(wanted);
      JsonElement known = null;
      JsonElement there = null;
      if (origins[i] >= 0) {
        known = from.get(origins[i]);
        there = storedOf(stored, from, origins[i], shape);
      } else if (mark != null && usesByMark.getOrDefault(mark, 0) == 1) {
        known = beforeByMark.get(mark); // moved here from another list
        there = marks.stored(mark);
      }
      JsonElement value = there == null ? null : value(there, known, wanted, shape.element());
      result.add(value == null ? value(null, null, wanted, shape.element()) : value);
    }
    return result;
  }

  /** Returns the stored element of which an element of the class's list was decoded. */
  private @Nullable JsonElement storedOf(
      JsonArray stored, JsonArray from, int index, ClassShape shape) {
    JsonElement known = from.get(index);
    Integer mark = ElementMarks.of(known);
    if (mark != null) {
      return marks.stored(mark);
    }
    if (known instanceof JsonObject || stored.size() != from.size()) {
      // of a set, which has another order
      int found = ElementMatch.byKey(known, from, stored, shape.listKeys());
      return found < 0 ? null : stored.get(found);
    }
    return stored.get(index);
  }

  /**
   * Returns the object after, which is of another class, with the members that neither class has: at the
   * same place, or in the same element of a list.
   */
  JsonObject converted(JsonObject stored, ClassShape shape) {
    return withUnknown(after, before, stored, shape);
  }

  private JsonObject withUnknown(
      JsonObject made, JsonObject from, JsonObject stored, ClassShape shape) {
    JsonObject result = new JsonObject();
    for (Map.Entry<String, JsonElement> member : made.entrySet()) {
      String name = member.getKey();
      JsonElement value = member.getValue();
      if (!ElementMarks.isMark(name) && !value.isJsonNull()) {
        result.add(name, withUnknown(value, from.get(name), stored.get(name), shape.member(name)));
      }
    }
    for (Map.Entry<String, JsonElement> member : stored.entrySet()) {
      String name = member.getKey();
      if (!from.has(name) && !made.has(name) && shape.lacks(name)) {
        result.add(name, member.getValue());
      }
    }
    return result;
  }

  private JsonElement withUnknown(
      JsonElement made,
      @Nullable JsonElement from,
      @Nullable JsonElement stored,
      ClassShape shape) {
    if (made instanceof JsonObject object) {
      boolean known = from instanceof JsonObject && stored instanceof JsonObject;
      return withUnknown(
          object,
          known && from != null ? from.getAsJsonObject() : NO_MEMBERS,
          known && stored != null ? stored.getAsJsonObject() : NO_MEMBERS,
          shape);
    }
    if (!(made instanceof JsonArray array)) {
      return made;
    }
    JsonArray there = stored instanceof JsonArray given ? given : NO_ELEMENTS;
    JsonArray known = from instanceof JsonArray given ? given : NO_ELEMENTS;
    int[] origins = new ElementMatch(known, array, usesByMark.keySet(), shape.listKeys()).origins();
    JsonArray result = new JsonArray();
    for (int i = 0; i < array.size(); i++) {
      Integer mark = ElementMarks.of(array.get(i));
      JsonElement before = null;
      JsonElement origin = null;
      if (mark != null) {
        before = beforeByMark.get(mark);
        origin = marks.stored(mark);
      } else if (origins[i] >= 0) {
        before = known.get(origins[i]);
        origin = storedOf(there, known, origins[i], shape);
      }
      result.add(withUnknown(array.get(i), before, origin, shape.element()));
    }
    return result;
  }
}
