// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

/**
 * Checks the form of request paths. A path that a proxy could interpret differently is refused: one
 * with empty or dot segments, or with an escaped slash, backslash, dot, semicolon, percent sign or
 * control character.
 */
public final class Paths {

  private static final String PLAIN = "._~-";
  private static final String NEVER_ESCAPED = "/\\.;%";

  private Paths() {}

  public static boolean wellFormed(String path) {
    if (path.isEmpty() || path.charAt(0) != '/' || path.contains("//")) {
      return false;
    }
    for (String segment : path.split("/", -1)) {
      if (segment.equals(".") || segment.equals("..")) {
        return false;
      }
    }
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '%') {
        int decoded = escaped(path, i);
        if (decoded < 0x20 || decoded == 0x7F || NEVER_ESCAPED.indexOf(decoded) >= 0) {
          return false;
        }
        i += 2;
      } else if (c != '/' && !isPlain(c)) {
        return false;
      }
    }
    return true;
  }

  private static int escaped(String path, int at) {
    if (at + 2 >= path.length()) {
      return -1;
    }
    int high = hex(path.charAt(at + 1));
    int low = hex(path.charAt(at + 2));
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  private static int hex(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1; // other scripts have digits too
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }
}
