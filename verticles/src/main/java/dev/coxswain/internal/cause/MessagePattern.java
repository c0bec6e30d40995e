// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import java.util.Locale;
import java.util.Set;

/**
 * The message of a failure without what differs between objects and times: the name and namespace
 * of its object become {@code <name>} and {@code <namespace>}, and each word with a digit becomes
 * {@code #}, but for the code of an HTTP status, which says what has happened.
 *
 * <p>Thread rule: any thread.
 */
final class MessagePattern {
  /** What is read of a message. */
  private static final int MAX_READ = 1_024;

  /** A shorter name may be a word of any message, unless it follows its namespace. */
  private static final int SHORTEST_NAME = 3;

  private static final String NUMBER = "#";
  private static final String OPENING = "\"'`[(<";
  private static final String CLOSING = "\"'`])>";
  private static final Set<String> BEFORE_NAMESPACE = Set.of("namespace", "namespaces", "ns");
  private static final Set<String> BEFORE_STATUS = Set.of("http", "https", "status", "code");

  private final String message;
  private final StringBuilder pattern = new StringBuilder(128);
  private String wordBefore = "";
  private int at;

  private MessagePattern(String message) {
    this.message = message.length() > MAX_READ ? message.substring(0, MAX_READ) : message;
  }

  static String of(String message, String namespace, String name) {
    return new MessagePattern(message).read(namespace, name);
  }

  private String read(String namespace, String name) {
    String whole = namespace + "/" + name;
    boolean begins = true;
    while (at < message.length()) {
      char next = message.charAt(at);
      if (!isPartOfWord(next)) {
        other(next);
        begins = true;
      } else if (begins && isHere(whole)) {
        mark("<namespace>/<name>", whole.length());
      } else if (begins && isHere(name)) {
        mark("<name>", name.length());
      } else if (begins && isHere(namespace) && isMeant(namespace)) {
        mark("<namespace>", namespace.length());
      } else {
        word();
        begins = false; // a word ends where none begins
      }
    }
    return pattern.toString().strip();
  }

  private void other(char next) {
    if (Character.isSurrogate(next)) {
      boolean isPair =
          at + 1 < message.length() && Character.isSurrogatePair(next, message.charAt(at + 1));
      pattern.append(isPair ? message.substring(at, at + 2) : "?");
      at += isPair ? 1 : 0;
    } else if (next > ' ' && !Character.isWhitespace(next) && !Character.isISOControl(next)) {
      pattern.append(next);
    } else if (!pattern.isEmpty() && pattern.charAt(pattern.length() - 1) != ' ') {
      pattern.append(' ');
    }
    at++;
  }

  private void mark(String text, int read) {
    put(text, read);
    wordBefore = "";
  }

  private void put(String text, int read) {
    pattern.append(text);
    at += read;
  }

  private boolean isHere(String name) {
    int end = at + name.length();
    return name.length() >= SHORTEST_NAME
        && message.startsWith(name, at)
        && (end == message.length() || !Character.isLetterOrDigit(message.charAt(end)));
  }

  /**
   * Returns whether a namespace is meant, and not a word of the message that is also the name of one,
   * as "default": the objects of that namespace would have a cause of their own.
   */
  private boolean isMeant(String namespace) {
    if (BEFORE_NAMESPACE.contains(wordBefore.toLowerCase(Locale.ROOT))
        || namespace.chars().anyMatch(c -> !Character.isLetter(c))) {
      return true;
    }
    int end = at + namespace.length();
    return at > 0
        && end < message.length()
        && OPENING.indexOf(message.charAt(at - 1)) >= 0
        && CLOSING.indexOf(message.charAt(end)) >= 0;
  }

  private void word() {
    int end = at;
    boolean hasDigit = false;
    while (end < message.length() && isPartOfWord(message.charAt(end))) {
      hasDigit |= Character.isDigit(message.charAt(end));
      end++;
    }
    String word = message.substring(at, end);
    if (hasDigit ? isStatus(word) : !isRestOfNumber(word)) {
      put(word, word.length());
    } else {
      joinNumber();
      put(NUMBER, word.length());
    }
    wordBefore = word;
  }

  private static boolean isPartOfWord(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || (c > '~' && Character.isLetterOrDigit(c));
  }

  private boolean isStatus(String word) {
    return word.length() == 3
        && word.charAt(0) >= '1'
        && word.charAt(0) <= '5'
        && word.chars().allMatch(c -> c >= '0' && c <= '9')
        && BEFORE_STATUS.contains(wordBefore.toLowerCase(Locale.ROOT));
  }

  /** A part of an identifier may have no digit by chance: one of four hexadecimal letters or more. */
  private boolean isRestOfNumber(String word) {
    return word.length() >= 4
        && endsWithNumberAndMark()
        && pattern.charAt(pattern.length() - 1) == '-'
        && word.chars().allMatch(c -> (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
  }

  /** One mark stands for a time, an address or an identifier with several numbers. */
  private void joinNumber() {
    if (endsWithNumberAndMark()) {
      pattern.setLength(pattern.length() - 2);
    }
  }

  private boolean endsWithNumberAndMark() {
    int length = pattern.length();
    return length >= 2
        && pattern.charAt(length - 2) == '#'
        && "-.:,/+".indexOf(pattern.charAt(length - 1)) >= 0;
  }
}
