// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads YAML documents as JSON.
 *
 * <p>Thread rule: stateless.
 */
public final class DocumentReader {

  private DocumentReader() {}

  /**
   * Returns all documents; empty ones are left out.
   *
   * @throws IllegalArgumentException for what is no YAML, or no object
   */
  public static List<JsonObject> all(String yaml) {
    List<JsonObject> all = new ArrayList<>();
    try {
      for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(yaml)) {
        if (document != null) {
          if (!(tree(document) instanceof JsonObject object)) {
            throw new IllegalArgumentException("a document is no object: " + document);
          }
          all.add(object);
        }
      }
    } catch (YAMLException e) {
      throw new IllegalArgumentException("invalid YAML: " + e.getMessage(), e);
    }
    return all;
  }

  private static JsonElement tree(@Nullable Object value) {
    return switch (value) {
      case null -> JsonNull.INSTANCE;
      case Map<?, ?> map -> {
        JsonObject object = new JsonObject();
        map.forEach((key, one) -> object.add(String.valueOf(key), tree(one)));
        yield object;
      }
      case List<?> list -> {
        JsonArray array = new JsonArray();
        list.forEach(one -> array.add(tree(one)));
        yield array;
      }
      case Number number -> new JsonPrimitive(number);
      case Boolean flag -> new JsonPrimitive(flag);
      case Date time -> new JsonPrimitive(time.toInstant().toString());
      default -> new JsonPrimitive(value.toString());
    };
  }
}
