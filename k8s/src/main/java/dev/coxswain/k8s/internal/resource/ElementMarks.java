// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the elements of lists, from decoding to encoding: an element that is the same Java
 * object has the same mark, wherever it stands and whatever has changed in it.
 *
 * <p>Thread rule: confined to one typed change.
 */
final class ElementMarks {

  /** The member with the number of an element; no JSON of a server has it. */
  private static final String MARK = "\0coxswain.element";

  private static final Integer AMBIGUOUS = -1;

  private static final ScopedValue<ElementMarks> CURRENT = ScopedValue.newInstance();

  /** Wraps the adapters of lists and arrays. */
  static final TypeAdapterFactory FACTORY = new ListFactory();

  private final List<JsonObject> stored = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();

  /** Decodes; each element of a list of objects gets a number. */
  <T> @Nullable T decode(Gson gson, JsonObject tree, Class<T> type) {
    return ScopedValue.where(CURRENT, this).call(() -> gson.fromJson(tree, type));
  }

  /** Encodes; elements that were decoded have their mark. */
  JsonObject encode(Gson gson, Object object) {
    return ScopedValue.where(CURRENT, this).call(() -> gson.toJsonTree(object).getAsJsonObject());
  }

  /** Returns the number of an encoded element; null without a mark. */
  static @Nullable Integer of(@Nullable JsonElement element) {
    return element instanceof JsonObject object && object.get(MARK) instanceof JsonPrimitive mark
        ? (Integer) mark.getAsInt()
        : null;
  }

  static boolean isMark(String member) {
    return member.equals(MARK);
  }

  /** Returns a tree without marks and without null members. */
  static JsonElement without(JsonElement tree) {
    if (tree instanceof JsonObject object) {
      JsonObject plain = new JsonObject();
      object
          .asMap()
          .forEach((name, value) -> {
            if (!isMark(name) && !value.isJsonNull()) {
              plain.add(name, without(value));
            }
          });
      return plain;
    }
    if (tree instanceof JsonArray array) {
      JsonArray plain = new JsonArray();
      array.forEach(value -> plain.add(without(value)));
      return plain;
    }
    return tree;
  }

  /** Returns the element from which the one with this number was decoded. */
  JsonObject stored(int number) {
    return stored.get(number);
  }

  private void decoded(Object element, JsonObject tree) {
    // an adapter that returns one object for several elements gives them no identity
    numbers.merge(element, stored.size(), (_, _) -> AMBIGUOUS);
    stored.add(tree.deepCopy()); // a member of the type JsonObject is this tree, and may be changed
  }

  private void encoded(@Nullable Object element, JsonObject tree) {
    Integer number = element == null ? null : numbers.get(element);
    if (number != null && !number.equals(AMBIGUOUS)) {
      tree.addProperty(MARK, number);
    }
  }

  private static final class ListFactory implements TypeAdapterFactory {
    @Override
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
      Class<? super T> raw = type.getRawType();
      if (!Collection.class.isAssignableFrom(raw)
          && !(raw.isArray() && !raw.getComponentType().isPrimitive())) {
        return null;
      }
      return new ListAdapter<>(gson, gson.getDelegateAdapter(this, type));
    }
  }

  private static final class ListAdapter<T> extends TypeAdapter<T> {

    private final Gson gson;
    private final TypeAdapter<T> plain;

    ListAdapter(Gson gson, TypeAdapter<T> plain) {
      this.gson = gson;
      this.plain = plain;
    }

    @Override
    public T read(JsonReader in) throws IOException {
      JsonElement tree = gson.getAdapter(JsonElement.class).read(in);
      T list = plain.fromJsonTree(tree);
      // other sets have another order
      if (tree instanceof JsonArray array
          && (!(list instanceof Set) || list instanceof LinkedHashSet)) {
        List<?> elements = elements(list);
        for (int i = 0; elements.size() == array.size() && i < elements.size(); i++) {
          Object element = elements.get(i);
          if (element != null && array.get(i) instanceof JsonObject object) {
            CURRENT.get().decoded(element, object);
          }
        }
      }
      return list;
    }

    @Override
    public void write(JsonWriter out, T list) throws IOException {
      JsonElement tree = plain.toJsonTree(list);
      if (tree instanceof JsonArray array) {
        List<?> elements = elements(list);
        for (int i = 0; elements.size() == array.size() && i < elements.size(); i++) {
          if (array.get(i) instanceof JsonObject object) {
            CURRENT.get().encoded(elements.get(i), object);
          }
        }
      }
      gson.toJson(tree, out);
    }

    private static List<?> elements(@Nullable Object list) {
      return switch (list) {
        case Object[] array -> Arrays.asList(array);
        case Collection<?> collection -> new ArrayList<>(collection);
        case null, default -> List.of();
      };
    }
  }
}
