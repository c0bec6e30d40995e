// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.client.Json;
import org.jspecify.annotations.Nullable;

/**
 * A stored object decoded to its class, to be changed: {@link #changedTo} returns the stored tree with
 * what has changed in the class alone. Members that the class does not have stay, also in the
 * elements of lists and maps that are still there.
 *
 * <p>An element of a list is the same one as before when it is the same Java object. A new Java object
 * is the element that it equals, or that has the same key (those of {@link
 * dev.coxswain.k8s.schema.Schema#listMapKeys}, or a usual one such as {@code name} or {@code type}).
 * In a list without keys whose other elements are all where they were, it is the element that had its
 * index. Any other element is new, and has only what the class has.
 *
 * <p>Thread rule: one thread at a time.
 *
 * @param <T> the class
 */
public final class TypedCopy<T> {

  private static final Gson GSON = marking(Json.GSON);

  /** As in {@link Json}: a Gson refers to the classes that it has converted for ever. */
  private static final ClassValue<Gson> OF_OTHERS =
      new ClassValue<>() {
        @Override
        protected Gson computeValue(Class<?> type) {
          return marking(Json.GSON);
        }
      };

  private final JsonObject stored;
  private final Class<T> type;
  private final ElementMarks marks = new ElementMarks();
  private final T object;
  private final JsonObject before;

  private TypedCopy(JsonObject stored, Class<T> type) {
    this.stored = stored;
    this.type = type;
    // a member of the type JsonObject would be a part of the stored tree
    @Nullable T decoded = marks.decode(gson(type), stored.deepCopy(), type);
    if (decoded == null) {
      throw new JsonParseException("there is no object");
    }
    this.object = decoded;
    this.before = marks.encode(gson(type), object);
  }

  /** With nulls, so that a null of a map differs from a member that is not there. */
  private static Gson marking(Gson gson) {
    return gson.newBuilder()
        .registerTypeAdapterFactory(ElementMarks.FACTORY)
        .serializeNulls()
        .create();
  }

  private static Gson gson(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader.equals(Json.class.getClassLoader())
        ? GSON
        : OF_OTHERS.get(type);
  }

  /**
   * Decodes an object.
   *
   * @param stored the object as stored; not changed
   * @param type its class
   * @throws JsonParseException when the type of a field does not match the class
   */
  public static <T> TypedCopy<T> of(JsonObject stored, Class<T> type) {
    try {
      return new TypedCopy<>(stored, type);
    } catch (JsonParseException e) {
      Json.decode(stored, type); // its message has the whole path
      throw e;
    }
  }

  /** Returns the decoded object, which the caller may change. */
  public T object() {
    return object;
  }

  /**
   * Returns the stored tree with the changes; it shares parts with the stored one.
   *
   * @param changed {@link #object}, changed, or another object in its place
   */
  public JsonObject changedTo(T changed) {
    JsonObject after = marks.encode(gson(type), changed);
    for (String member : new String[] {"apiVersion", "kind"}) {
      JsonElement given = before.get(member);
      if (given != null && (after.get(member) == null || after.get(member).isJsonNull())) {
        after.add(member, given);
      }
    }
    return new TreeMerge(marks, before, after).merged(stored, ClassShape.of(type));
  }

  /**
   * Returns another object as JSON, with the members of the stored one that neither class has, where
   * they were, and in the elements of lists that are the same by the rules above.
   *
   * @param made the object, made of {@link #object}
   * @param madeType its class
   */
  public <M> JsonObject convertedTo(M made, Class<M> madeType) {
    JsonObject body = stored.deepCopy();
    body.remove("metadata"); // is not the classes' to decide
    return new TreeMerge(marks, before, marks.encode(gson(madeType), made))
        .converted(body, ClassShape.of(madeType));
  }
}
