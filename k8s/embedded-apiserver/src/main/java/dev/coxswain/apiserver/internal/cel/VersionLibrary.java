// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.coxswain.apiserver.internal.cel.OpaqueTypes.SEMVER;

import dev.cel.common.types.CelType;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Semantic versions; any thread. */
final class VersionLibrary {
  private static final String NUMBER = "(0|[1-9]\\d{0,17})";
  private static final Pattern FORM =
      Pattern.compile(
          NUMBER
              + "\\."
              + NUMBER
              + "\\."
              + NUMBER
              + "(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
              + "(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?");

  /** A version; what is built does not count when two are compared. */
  record Semver(long major, long minor, long patch, String pre) implements Comparable<Semver> {
    static @Nullable Semver parse(String text, boolean normalize) {
      Matcher m = FORM.matcher(normalize ? normalized(text) : text);
      return m.matches()
          ? new Semver(
              Long.parseLong(m.group(1)),
              Long.parseLong(m.group(2)),
              Long.parseLong(m.group(3)),
              m.group(4) == null ? "" : m.group(4))
          : null;
    }

    /** Without the letter v and leading zeros, and with three numbers. */
    private static String normalized(String text) {
      String plain = text.startsWith("v") || text.startsWith("V") ? text.substring(1) : text;
      String[] parts = plain.split("[-+]", 2);
      String rest = plain.substring(parts[0].length());
      String numbers = parts[0].replaceAll("(^|\\.)0+(?=\\d)", "$1");
      long dots = numbers.chars().filter(c -> c == '.').count();
      return numbers + ".0".repeat((int) Math.max(0, 2 - dots)) + rest;
    }

    @Override
    public int compareTo(Semver other) {
      int numbers =
          major != other.major
              ? Long.compare(major, other.major)
              : minor != other.minor
                  ? Long.compare(minor, other.minor)
                  : Long.compare(patch, other.patch);
      if (numbers != 0 || pre.equals(other.pre)) {
        return numbers;
      }
      if (pre.isEmpty() || other.pre.isEmpty()) {
        return pre.isEmpty() ? 1 : -1;
      }
      String[] own = pre.split("\\.", -1);
      String[] others = other.pre.split("\\.", -1);
      for (int i = 0; i < Math.min(own.length, others.length); i++) {
        int part = part(own[i], others[i]);
        if (part != 0) {
          return part;
        }
      }
      return Integer.compare(own.length, others.length);
    }

    private static int part(String a, String b) {
      boolean first = a.matches("\\d+");
      boolean second = b.matches("\\d+");
      if (first && second) {
        return a.length() == b.length() ? a.compareTo(b) : Integer.compare(a.length(), b.length());
      }
      return first == second ? a.compareTo(b) : first ? -1 : 1;
    }
  }

  private VersionLibrary() {}

  static void addTo(CelLibrary library) {
    for (List<CelType> types : List.of(List.of(STRING), List.of(STRING, BOOL))) {
      library.function("isSemver", BOOL, types, a -> parse(a) != null);
      library.function(
          "semver",
          SEMVER,
          types,
          a -> {
            Semver version = parse(a);
            if (version == null) {
              throw new IllegalArgumentException(
                  "semver parse error during conversion from string: invalid version \""
                      + a[0]
                      + "\"");
            }
            return version;
          });
    }
    library.method("major", INT, List.of(SEMVER), a -> ((Semver) a[0]).major);
    library.method("minor", INT, List.of(SEMVER), a -> ((Semver) a[0]).minor);
    library.method("patch", INT, List.of(SEMVER), a -> ((Semver) a[0]).patch);
    List<CelType> two = List.of(SEMVER, SEMVER);
    library.method("compareTo", INT, two, a -> (long) Integer.signum(compared(a)));
    library.method("isGreaterThan", BOOL, two, a -> compared(a) > 0);
    library.method("isLessThan", BOOL, two, a -> compared(a) < 0);
  }

  private static @Nullable Semver parse(Object[] a) {
    return Semver.parse((String) a[0], a.length > 1 && (Boolean) a[1]);
  }

  private static int compared(Object[] a) {
    return ((Semver) a[0]).compareTo((Semver) a[1]);
  }
}
