// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A field selector bound to a resource; immutable, any thread. */
public final class FieldSelector {
  private static final String NAME_FIELD = "metadata.name";
  private static final int NAME = -1;
  private static final int NAMESPACE = -2;

  private record Term(int field, boolean equal, String value) {
    boolean matches(StoredObject object) {
      String actual =
          switch (field) {
            case NAME -> object.name();
            case NAMESPACE -> object.namespace();
            default -> object.field(field);
          };
      return actual.equals(value) == equal;
    }
  }

  private final List<Term> terms;

  private FieldSelector(List<Term> terms) {
    this.terms = terms;
  }

  /**
   * Parses the query form, as in {@code metadata.name=a,status.phase!=Running}; throws a 400 when
   * it cannot.
   */
  public static FieldSelector parse(@Nullable String text, ResourceType type) {
    List<Term> terms = new ArrayList<>();
    if (text != null && !text.isBlank()) {
      for (String part : text.split(",", -1)) {
        if (part.isBlank()) {
          continue;
        }
        int not = part.indexOf("!=");
        int equal = part.indexOf('=');
        if (equal < 0) {
          throw ApiException.badRequest(
              "invalid selector: '" + text + "'; can't understand '" + part + "'");
        }
        int end = not >= 0 ? not : equal;
        int start = not >= 0 ? not + 2 : part.startsWith("==", equal) ? equal + 2 : equal + 1;
        terms.add(
            new Term(index(part.substring(0, end).strip(), type), not < 0, part.substring(start)));
      }
    }
    return new FieldSelector(List.copyOf(terms));
  }

  /**
   * Returns the single name that a list or a watch selects, for authorization; empty when it
   * selects no single name, or is invalid, which is reported later.
   */
  public static String exactName(@Nullable String text) {
    String name = "";
    for (String part : text == null ? new String[0] : text.split(",", -1)) {
      int equal = part.indexOf('=');
      if (equal < 0 && !part.isBlank()) {
        return "";
      }
      if (name.isEmpty() && equal >= 0 && part.substring(0, equal).strip().equals(NAME_FIELD)) {
        name = part.substring(part.startsWith("==", equal) ? equal + 2 : equal + 1);
      }
    }
    boolean segment =
        !name.equals(".") && !name.equals("..") && name.indexOf('/') < 0 && name.indexOf('%') < 0;
    return segment ? name : "";
  }

  private static int index(String field, ResourceType type) {
    if (field.equals(NAME_FIELD)) {
      return NAME;
    }
    if (field.equals("metadata.namespace")) {
      return NAMESPACE;
    }
    String stored = field;
    if (type.newEvents()) {
      stored =
          field.startsWith("regarding.")
              ? "involvedObject." + field.substring("regarding.".length())
              : field.equals("reportingController") ? "reportingComponent" : field;
    }
    int index = type.selectable().indexOf(stored);
    if (index >= 0) {
      return index;
    }
    if (type.custom() || !type.selectable().isEmpty()) {
      throw ApiException.badRequest("field label not supported: " + field);
    }
    throw ApiException.badRequest(
        "\""
            + field
            + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
  }

  /** True when everything is selected. */
  public boolean isEmpty() {
    return terms.isEmpty();
  }

  public boolean matches(StoredObject object) {
    for (Term term : terms) {
      if (!term.matches(object)) {
        return false;
      }
    }
    return true;
  }
}
