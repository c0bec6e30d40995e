// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a page of a list from a stream, one object at a time: no page is in memory as a whole.
 *
 * <p>Thread rule: confined to its user; reading blocks.
 */
public final class PageReader {

  private static final int CHUNK = 16 * 1024;

  private final InputStream in;

  /** Grows to the longest value of the page. */
  private byte[] text = new byte[CHUNK];

  /** The first byte that is still needed: that of the value that is being read. */
  private int from;

  /** The next byte. */
  private int at;

  private int end;

  private String resourceVersion = "";
  private String token = "";

  /** Creates a reader of a page in UTF-8. */
  public PageReader(InputStream in) {
    this.in = in;
  }

  /** Returns the version of the list; empty when it has none. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** Returns the continue token of the next page; empty when this is the last one. */
  public String token() {
    return token;
  }

  /**
   * Reads the page.
   *
   * @param item receives each object while the rest has not been read yet
   * @throws IOException when it cannot be read to its end
   * @throws JsonParseException when it is not a list in JSON, or ends too early
   */
  public void read(Consumer<ReceivedObject> item) throws IOException {
    expect('{');
    for (boolean more = !passOver('}'); more; more = another('}')) {
      if (peek() != '"') {
        throw new JsonParseException("expected the name of a member of a list");
      }
      String name = new TextReader(value()).scalar();
      expect(':');
      switch (name) {
        case "metadata" -> readMetadata(new TextReader(value()));
        case "items" -> readItems(item);
        default -> value();
      }
    }
  }

  private void readMetadata(TextReader reader) {
    if (reader.peek() != '{') {
      return;
    }
    reader.expect('{');
    for (boolean first = true; reader.nextMember(first); first = false) {
      switch (reader.name("resourceVersion", "continue")) {
        case "resourceVersion" -> resourceVersion = reader.scalar();
        case "continue" -> token = reader.scalar();
        default -> reader.skipValue();
      }
    }
  }

  private void readItems(Consumer<ReceivedObject> item) throws IOException {
    if (peek() == 'n') {
      value(); // null: an empty list
      return;
    }
    expect('[');
    for (boolean more = !passOver(']'); more; more = another(']')) {
      item.accept(ReceivedObject.of(value()));
    }
  }

  /** Passes over the comma before another member, or over the closing bracket. */
  private boolean another(char closing) throws IOException {
    if (passOver(closing)) {
      return false;
    }
    expect(',');
    return true;
  }

  private void expect(char expected) throws IOException {
    if (!passOver(expected)) {
      throw new JsonParseException("expected " + expected + " in a list");
    }
  }

  private boolean passOver(char next) throws IOException {
    boolean found = peek() == next;
    if (found) {
      at++;
      from = at;
    }
    return found;
  }

  /** Passes over white space and returns the next byte, without passing over it. */
  private byte peek() throws IOException {
    byte next = next();
    while (next == ' ' || next == '\n' || next == '\r' || next == '\t') {
      from = at;
      next = next();
    }
    at--;
    return next;
  }

  private byte next() throws IOException {
    if (at == end) {
      fill();
    }
    return text[at++];
  }

  /** Reads more, behind what is still needed. */
  private void fill() throws IOException {
    System.arraycopy(text, from, text, 0, end - from);
    at -= from;
    end -= from;
    from = 0;
    if (end == text.length) {
      text = Arrays.copyOf(text, 2 * text.length);
    }
    int read = in.read(text, end, text.length - end);
    if (read < 0) {
      throw new JsonParseException("the list ends too early");
    }
    end += read;
  }

  /** Passes over a value and returns its text. */
  private byte[] value() throws IOException {
    byte first = peek();
    from = at;
    switch (first) {
      case '"' -> skipString();
      case '{', '[' -> skipNested();
      default -> skipWord();
    }
    byte[] value = Arrays.copyOfRange(text, from, at);
    from = at;
    return value;
  }

  private void skipString() throws IOException {
    at++;
    for (byte next = next(); next != '"'; next = next()) {
      if (next == '\\') {
        next();
      }
    }
  }

  private void skipNested() throws IOException {
    int depth = 0;
    do {
      switch (next()) {
        case '"' -> {
          at--;
          skipString();
        }
        case '{', '[' -> depth++;
        case '}', ']' -> depth--;
        default -> {}
      }
    } while (depth > 0);
  }

  private void skipWord() throws IOException {
    int length = 0;
    for (byte next = next(); next > ' ' && ",:]}".indexOf(next) < 0; next = next()) {
      length++;
    }
    at--;
    if (length == 0) {
      throw new JsonParseException("expected a value in a list");
    }
  }
}
