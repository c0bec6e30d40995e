// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;

/**
 * Java names for names that may be anything. They have ASCII letters, digits and {@code _} only: a
 * {@code $} would clash with the names of class files, and other letters with file systems.
 */
final class JavaNames {

  /** Shorter than the names of files, of which a class file may have several in one. */
  static final int LONGEST = 64;

  /** Methods of every object, which a record component cannot be named after. */
  private static final Set<String> OF_OBJECT =
      Set.of(
          "clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait");

  /** Words that no type may be named. */
  private static final Set<String> NO_TYPES =
      Set.of("permits", "record", "sealed", "var", "when", "with", "yield");

  private JavaNames() {}

  /** Returns a name for a field, component or method that Java accepts. */
  static String identifier(String name) {
    StringBuilder result = new StringBuilder();
    boolean upper = false;
    for (int i = 0; i < name.length() && result.length() < LONGEST; i++) {
      char c = name.charAt(i);
      if (!isPart(c)) {
        upper = !result.isEmpty();
      } else {
        if (result.isEmpty() && c >= '0' && c <= '9') {
          result.append('_');
        }
        result.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    String made = result.isEmpty() ? "_value" : result.toString();
    return SourceVersion.isKeyword(made) || OF_OBJECT.contains(made) ? made + "_" : made;
  }

  private static boolean isPart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  /** Returns a name for a type. */
  static String type(String name) {
    String made = identifier(name).replaceAll("_+$", "");
    return made.isEmpty() ? "Value" : capitalized(made);
  }

  /** Returns the name for the class of a kind, which is the kind if Java accepts it. */
  static String ofKind(String kind, Set<String> used) {
    boolean usable =
        kind.equals(identifier(kind))
            && kind.length() <= LONGEST
            && !NO_TYPES.contains(kind)
            && !used.contains(kind);
    String made = usable ? kind : type(kind);
    return used.contains(made) ? made + "Resource" : made;
  }

  /** Returns a name for the constant of a value. */
  static String constant(String value) {
    String upper =
        value
            .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
            .replaceAll("[^A-Za-z0-9_]", "_")
            .toUpperCase(Locale.ROOT);
    if (value.isEmpty()) {
      return "EMPTY";
    }
    if (upper.matches("_*")) {
      upper = spelled(value);
    }
    String made = upper.substring(0, Math.min(upper.length(), LONGEST));
    return Character.isDigit(made.charAt(0)) ? "_" + made : made;
  }

  /** Returns the names of characters, such as {@code LESS_THAN_SIGN_EQUALS_SIGN}. */
  private static String spelled(String symbols) {
    return symbols
        .codePoints()
        .limit(4)
        .mapToObj(c -> String.valueOf(Character.getName(c)).replaceAll("[^A-Za-z0-9]+", "_"))
        .collect(Collectors.joining("_"))
        .toUpperCase(Locale.ROOT);
  }

  /**
   * Returns a different identifier for each name; a name that is one keeps it.
   *
   * @param reserved identifiers that are taken
   * @param equal returns what must differ, such as the name of a setter
   */
  static Map<String, String> distinct(
      Collection<String> names, Set<String> reserved, UnaryOperator<String> equal) {
    Set<String> taken = reserved.stream().map(equal).collect(Collectors.toCollection(HashSet::new));
    Map<String, String> chosen = new HashMap<>();
    List<String> others = new ArrayList<>();
    for (String name : new LinkedHashSet<>(names)) {
      if (!identifier(name).equals(name) || !taken.add(equal.apply(name))) {
        others.add(name);
      } else {
        chosen.put(name, name);
      }
    }
    others.forEach(
        name -> chosen.put(name, free(identifier(name), made -> !taken.add(equal.apply(made)))));
    return chosen;
  }

  /** Returns a name, or one with a number, that is not taken. */
  static String free(String name, Predicate<String> taken) {
    String made = name;
    for (int i = 2; taken.test(made); i++) {
      made =
          name
              + (name.endsWith("_") || Character.isDigit(name.charAt(name.length() - 1)) ? "_" : "")
              + i;
    }
    return made;
  }

  static String capitalized(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
