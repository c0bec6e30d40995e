// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a page of a list from a stream, one object at a time: no page is in memory as a whole. Of
 * members that are not needed only the brackets are counted.
 *
 * <p>Thread rule: confined to its user; reading blocks.
 */
public final class PageReader {

  private static final byte[] NULL = {'n', 'u', 'l', 'l'};
  private static final int CHUNK = 16 * 1024;

  private final InputStream in;

  /** The server has not counted. */
  public static final long UNKNOWN = -1;

  /** Has room for the longest value of the page. */
  private byte[] text = new byte[CHUNK];

  /** The first byte that is still needed: while a value is kept its first one, otherwise the next. */
  private int from;

  private boolean keeping;

  /** The next byte. */
  private int at;

  private int end;

  private boolean hasKind;
  private boolean hasItems;
  private String resourceVersion = "";
  private String token = "";
  private long remaining = UNKNOWN;

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

  /** Returns how many objects come after this page, or {@link #UNKNOWN}: not every server counts them. */
  public long remaining() {
    return remaining;
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
        case "kind" -> hasKind = !new TextReader(value()).scalar().isEmpty();
        default -> skipValue();
      }
    }
    if (!hasKind || !hasItems) {
      // From a proxy, perhaps. An empty list would mean that all objects are gone.
      throw new JsonParseException("without kind or items: not a list");
    }
    readEnd();
  }

  /** Reads to the end of the response: only then its connection is free for another request. */
  private void readEnd() throws IOException {
    do {
      if (!new String(text, at, end - at, StandardCharsets.UTF_8).isBlank()) {
        throw new JsonParseException("the response goes on behind the list");
      }
      at = 0;
      end = in.read(text);
    } while (end >= 0);
  }

  private void readMetadata(TextReader reader) {
    if (reader.peek() != '{') {
      return;
    }
    reader.expect('{');
    for (boolean first = true; reader.nextMember(first); first = false) {
      switch (reader.name("resourceVersion", "continue", "remainingItemCount")) {
        case "resourceVersion" -> resourceVersion = reader.scalar();
        case "continue" -> token = reader.scalar();
        case "remainingItemCount" -> remaining = count(reader.scalar());
        default -> reader.skipValue();
      }
    }
  }

  private static long count(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }

  private void readItems(Consumer<ReceivedObject> item) throws IOException {
    hasItems = true;
    if (peek() == 'n') {
      if (!Arrays.equals(value(), NULL)) {
        throw new JsonParseException("expected null or an array of items");
      }
      return; // an empty list
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
    }
    return found;
  }

  /** Passes over white space and returns the next byte, without passing over it. */
  private byte peek() throws IOException {
    byte next = next();
    while (next == ' ' || next == '\n' || next == '\r' || next == '\t') {
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

  /** Returns the size of the buffer in bytes. */
  int room() {
    return text.length;
  }

  /** Reads more, behind what is still needed; that is moved only when there is no room behind it. */
  private void fill() throws IOException {
    if (!keeping) {
      from = at;
    }
    int needed = end - from;
    if (needed == 0 || end == text.length) {
      if (needed >= ReceivedObject.LONGEST) {
        throw new JsonParseException("an object of the list is longer than 32 MiB");
      }
      byte[] to = needed > text.length / 2 ? new byte[2 * text.length] : text;
      System.arraycopy(text, from, to, 0, needed);
      text = to;
      at -= from;
      end = needed;
      from = 0;
    }
    int read = in.read(text, end, text.length - end);
    if (read < 0) {
      throw new JsonParseException("the list ends too early");
    }
    end += read;
  }

  /** Passes over a value and returns its text. */
  private byte[] value() throws IOException {
    peek();
    from = at;
    keeping = true;
    skipValue();
    keeping = false;
    return Arrays.copyOfRange(text, from, at);
  }

  private void skipValue() throws IOException {
    switch (peek()) {
      case '"' -> {
        at++;
        skipString();
      }
      case '{', '[' -> skipNested();
      default -> skipWord();
    }
  }

  /** Passes over the rest of a string. */
  private void skipString() throws IOException {
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
        case '"' -> skipString();
        case '{', '[' -> depth++;
        case '}', ']' -> depth--;
        default -> {}
      }
    } while (depth > 0);
  }

  private void skipWord() throws IOException {
    int length = 0;
    while (TextReader.isWord(next())) {
      length++;
    }
    at--;
    if (length == 0) {
      throw new JsonParseException("expected a value in a list");
    }
  }
}
