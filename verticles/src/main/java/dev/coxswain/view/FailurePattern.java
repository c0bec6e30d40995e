// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What the failures of one cause have in common. It does not depend on the object, the process or
 * the time, so that all replicas give the same failure the same {@link #id}.
 *
 * <p>Thread rule: immutable.
 *
 * @param types the classes of the exception and of what caused it, at most {@link #MAX_TYPES}, the
 *     outermost first; wrappers of futures are left out
 * @param message its message with marks in place of the name and namespace of the object and of
 *     everything with digits; empty for none
 * @param where the first method of the author's code in its stack trace, without a line; empty when
 *     it has none
 */
public record FailurePattern(List<String> types, String message, String where) {

  /** The maximum number of classes. */
  public static final int MAX_TYPES = 4;

  /** The maximum length of the message, and of a method. */
  public static final int MAX_TEXT = 200;

  /** The failures of a controller whose causes are more than are kept. */
  public static final FailurePattern OTHER =
      new FailurePattern(List.of(), "more causes than are kept", "");

  private static final int ID_BYTES = 6;

  public FailurePattern {
    types = List.copyOf(types.size() > MAX_TYPES ? types.subList(0, MAX_TYPES) : types);
    message = cut(message);
    where = cut(where);
  }

  private static String cut(String text) {
    if (text.length() <= MAX_TEXT) {
      return text;
    }
    boolean splits = Character.isHighSurrogate(text.charAt(MAX_TEXT - 1));
    return text.substring(0, splits ? MAX_TEXT - 1 : MAX_TEXT);
  }

  /** Returns class, without its package, and message, for display. */
  public String text() {
    String type = types.isEmpty() ? "" : types.getFirst();
    String nested = type.substring(type.lastIndexOf('.') + 1);
    int inner = nested.lastIndexOf('$') + 1;
    boolean isNamed = inner < nested.length() && Character.isLetter(nested.charAt(inner));
    String simple = isNamed ? nested.substring(inner) : nested;
    return simple.isEmpty() || message.isEmpty() ? simple + message : simple + ": " + message;
  }

  /** Returns the name of this cause: 12 hexadecimal digits of a digest of its parts. */
  public String id() {
    String whole = String.join("\n", String.join(" ", types), message, where);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(whole.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns the number with these hexadecimal digits; -1, which no cause has, for another text. */
  public static long number(String id) {
    boolean isId = id.length() == 2 * ID_BYTES && id.chars().allMatch(HexFormat::isHexDigit);
    return isId ? HexFormat.fromHexDigitsToLong(id) : -1;
  }
}
