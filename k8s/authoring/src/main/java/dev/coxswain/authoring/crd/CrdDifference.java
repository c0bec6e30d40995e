// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The differences between a generated definition and one from a file. The order of fields, the form
 * of the YAML, labels, annotations, the fields that every object has, and the conversion (which the
 * host registers) do not matter.
 *
 * <p>Thread rule: any thread.
 */
public final class CrdDifference {

  private static final Set<String> UNORDERED =
      Set.of("required", "enum", "shortNames", "categories");

  private final List<String> found = new ArrayList<>();

  private CrdDifference() {}

  /**
   * Returns one line for each difference, with its path; empty when there is none.
   *
   * @param generated the definition of the classes
   * @param file the definition of the file
   */
  public static List<String> between(JsonObject generated, JsonObject file) {
    CrdDifference difference = new CrdDifference();
    difference.compare("spec", spec(generated), spec(file));
    return List.copyOf(difference.found);
  }

  /** Returns the spec without what does not matter, and with the names that the server fills in. */
  private static JsonObject spec(JsonObject definition) {
    JsonObject spec = member(definition, "spec").deepCopy();
    spec.remove("conversion");
    if (spec.get("versions") instanceof JsonArray versions) {
      for (JsonElement version : versions) {
        JsonObject schema = member(member(version.getAsJsonObject(), "schema"), "openAPIV3Schema");
        TypeSchemas.OF_EVERY_OBJECT.forEach(member(schema, "properties")::remove);
      }
    }
    JsonObject names = member(spec, "names");
    String kind = TypeSchemas.text(names, "kind");
    if (!names.has("listKind")) {
      names.addProperty("listKind", kind + "List");
    }
    if (!names.has("singular")) {
      names.addProperty("singular", kind.toLowerCase(Locale.ROOT));
    }
    return spec;
  }

  private static JsonObject member(JsonObject of, String name) {
    return of.get(name) instanceof JsonObject member ? member : new JsonObject();
  }

  private void compare(String path, @Nullable JsonElement ours, @Nullable JsonElement theirs) {
    if (ours instanceof JsonObject left && theirs instanceof JsonObject right) {
      Set<String> names = new TreeSet<>(left.keySet());
      names.addAll(right.keySet());
      names.forEach(name -> compare(path + "." + name, left.get(name), right.get(name)));
    } else if (ours instanceof JsonArray left && theirs instanceof JsonArray right) {
      compareLists(path, left, right);
    } else if (!equal(ours, theirs)) {
      found.add("%s: class %s, file %s".formatted(path, shown(ours), shown(theirs)));
    }
  }

  private void compareLists(String path, JsonArray left, JsonArray right) {
    if (path.endsWith(".versions")) {
      compare(path, byName(left), byName(right));
      return;
    }
    if (UNORDERED.contains(path.substring(path.lastIndexOf('.') + 1))) {
      if (!Set.copyOf(left.asList()).equals(Set.copyOf(right.asList()))) {
        found.add("%s: class %s, file %s".formatted(path, left, right));
      }
      return;
    }
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      compare(
          path + "[" + i + "]",
          i < left.size() ? left.get(i) : null,
          i < right.size() ? right.get(i) : null);
    }
  }

  private static JsonObject byName(JsonArray versions) {
    JsonObject result = new JsonObject();
    for (JsonElement version : versions) {
      result.add(TypeSchemas.text(version.getAsJsonObject(), "name"), version);
    }
    return result;
  }

  private static boolean equal(@Nullable JsonElement ours, @Nullable JsonElement theirs) {
    if (ours instanceof JsonPrimitive left
        && theirs instanceof JsonPrimitive right
        && left.isNumber()
        && right.isNumber()) {
      return left.getAsBigDecimal().compareTo(right.getAsBigDecimal()) == 0;
    }
    return ours != null && ours.equals(theirs);
  }

  private static String shown(@Nullable JsonElement value) {
    return value == null ? "has none" : value.toString();
  }
}
