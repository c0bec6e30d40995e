// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * Reads JSON text in UTF-8, member by member. Of a value that is not needed only the brackets are
 * counted; other faults in it are found when it is decoded.
 *
 * <p>Thread rule: confined to its user.
 */
final class TextReader {

  private final byte[] text;
  private final int end;
  private int at;

  TextReader(byte[] text) {
    this(text, 0, text.length);
  }

  /** Creates a reader of a part of a text. */
  TextReader(byte[] text, int from, int end) {
    this.text = text;
    this.at = from;
    this.end = end;
  }

  int position() {
    return at;
  }

  int end() {
    return end;
  }

  /**
   * Goes to the value of a member of the object at the position.
   *
   * @return whether it is there, and an object
   */
  boolean enter(String member) {
    expect('{');
    for (boolean more = nextMember(true); more; more = nextMember(false)) {
      if (name(member).equals(member)) {
        return peek() == '{';
      }
      skipValue();
    }
    return false;
  }

  /** Passes over white space and returns the next byte, without passing over it. */
  byte peek() {
    while (at < end) {
      byte next = text[at];
      if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
        return next;
      }
      at++;
    }
    throw new JsonParseException("the text ends too early");
  }

  /** Passes over one certain byte. */
  void expect(char expected) {
    byte next = peek();
    if (next != expected) {
      throw new JsonParseException("expected " + expected + " at " + at);
    }
    at++;
  }

  /**
   * Enters an object or goes on behind a member; returns false behind its last member. The position
   * is that of the name of the next one.
   */
  boolean nextMember(boolean first) {
    byte next = peek();
    if (next == '}') {
      at++;
      return false;
    }
    if (!first) {
      expect(',');
      next = peek();
    }
    if (next != '"') {
      throw new JsonParseException("expected a name at " + at);
    }
    return true;
  }

  /** Fails unless only white space follows. */
  void expectEnd() {
    for (; at < end; at++) {
      byte next = text[at];
      if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
        throw new JsonParseException("the text goes on at " + at);
      }
    }
  }

  /**
   * Reads the name of a member and the colon behind it.
   *
   * @param known the names that are wanted
   * @return that one of them which it equals, or an empty string
   */
  String name(String... known) {
    int from = at;
    boolean plain = skipString();
    String name = plain ? "" : string(from);
    for (String each : known) {
      if (plain ? equals(from + 1, at - 1, each) : name.equals(each)) {
        name = each;
        break;
      }
    }
    expect(':');
    return name;
  }

  private boolean equals(int from, int behind, String name) {
    if (behind - from != name.length()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (text[from + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private String string(int from) {
    return JsonParser.parseString(word(from)).getAsString();
  }

  /** Returns the text that has been passed over since a place. */
  private String word(int from) {
    return new String(text, from, at - from, StandardCharsets.UTF_8);
  }

  /** Returns the text of a string, number or truth value; empty for anything else. */
  String scalar() {
    byte first = peek();
    int from = at;
    if (first == '"') {
      return skipString()
          ? new String(text, from + 1, at - from - 2, StandardCharsets.UTF_8)
          : string(from);
    }
    skipValue();
    return first == '{' || first == '[' || first == 'n' ? "" : word(from);
  }

  /** Returns a number without its fraction; 0 for anything else. */
  long number() {
    byte first = peek();
    int from = at;
    skipValue();
    if (first != '-' && (first < '0' || first > '9')) {
      return 0;
    }
    long value = 0;
    for (int i = from; i < at; i++) {
      byte digit = text[i];
      if (digit < '0' || digit > '9' || i - from > 17) {
        return decimal(word(from));
      }
      value = value * 10 + digit - '0';
    }
    return value;
  }

  private static long decimal(String word) {
    try {
      return new BigDecimal(word).longValue();
    } catch (NumberFormatException e) {
      throw new JsonParseException("not a number: " + word, e);
    }
  }

  /** Passes over any value. */
  void skipValue() {
    byte first = peek();
    switch (first) {
      case '"' -> skipString();
      case '{', '[' -> skipNested();
      default -> skipWord();
    }
  }

  /** Passes over a string; returns whether nothing in it is escaped. */
  private boolean skipString() {
    boolean plain = true;
    for (int i = at + 1; i < end; i++) {
      byte next = text[i];
      if (next == '"') {
        at = i + 1;
        return plain;
      }
      if (next == '\\') {
        plain = false;
        i++;
      }
    }
    throw new JsonParseException("a string does not end");
  }

  private void skipNested() {
    int depth = 0;
    while (at < end) {
      byte next = text[at];
      if (next == '"') {
        skipString();
        continue;
      }
      at++;
      if (next == '{' || next == '[') {
        depth++;
      } else if (next == '}' || next == ']') {
        depth--;
        if (depth == 0) {
          return;
        }
      }
    }
    throw new JsonParseException("an object or array does not end");
  }

  private void skipWord() {
    int from = at;
    while (at < end && isWord(text[at])) {
      at++;
    }
    if (at == from) {
      throw new JsonParseException("expected a value at " + at);
    }
  }

  static boolean isWord(byte next) {
    return (next >= '0' && next <= '9')
        || (next >= 'a' && next <= 'z')
        || next == '-'
        || next == '+'
        || next == '.'
        || next == 'E';
  }
}
