// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An object as received from the server: its text, and the members of its metadata that a cache
 * reads. A watch delivers thousands of them in a second, so the rest is neither decoded nor copied
 * before it is needed.
 *
 * <p>Thread rule: immutable, if the text is; that of an event of a watch is confined to its reader.
 */
public final class ReceivedObject {

  /**
   * The longest object that is read, in bytes: more would only fill the heap. API servers accept 3
   * MiB.
   */
  public static final int LONGEST = 32 * 1024 * 1024;

  private final byte[] text;
  private final int from;

  /** Behind what was not read yet; null when all was. */
  private @Nullable TextReader rest;

  /** Behind its last byte; that of its event as long as the rest was not read. */
  private int end;

  private boolean hasApiVersion;
  private boolean hasKind;
  private int metadataFrom;
  private int metadataEnd;

  /** The managed fields with one of the commas beside them. */
  private int managedFrom;

  private int managedEnd;
  private String name = "";
  private String namespace = "";
  private String uid = "";
  private String resourceVersion = "";
  private long generation;

  /**
   * Reads the object at the position of a reader, and passes over it.
   *
   * @param text of the reader
   * @param begin whether what follows the metadata is read when it is needed; then the object is the
   *     last thing that the reader has
   * @throws JsonParseException when it is not an object in JSON
   */
  ReceivedObject(byte[] text, TextReader reader, boolean begin) {
    this.text = text;
    reader.expect('{');
    this.from = reader.position() - 1;
    for (boolean more = reader.nextMember(true); more; more = reader.nextMember(false)) {
      switch (reader.name("apiVersion", "kind", "metadata")) {
        case "apiVersion" -> {
          hasApiVersion = true;
          reader.skipValue();
        }
        case "kind" -> {
          hasKind = true;
          reader.skipValue();
        }
        case "metadata" -> readMetadata(reader);
        default -> reader.skipValue();
      }
      if (begin && hasMetadata()) {
        end = reader.end();
        rest = reader;
        return;
      }
    }
    end = reader.position();
  }

  boolean isRead() {
    return rest == null;
  }

  /**
   * Reads what follows the metadata, and the end of its event, unless this was done. Whatever needs
   * more than metadata does so, too.
   *
   * @throws JsonParseException when it is not JSON, or has metadata once more
   */
  public void readWhole() {
    TextReader begun = rest;
    if (begun == null) {
      return;
    }
    TextReader reader = new TextReader(text, begun.position(), begun.end());
    while (reader.nextMember(false)) {
      switch (reader.name("apiVersion", "kind", "metadata")) {
        case "apiVersion" -> hasApiVersion = true;
        case "kind" -> hasKind = true;
        case "metadata" -> throw new JsonParseException("metadata twice");
        default -> {}
      }
      reader.skipValue();
    }
    int behind = reader.position();
    while (reader.nextMember(false)) {
      reader.name();
      reader.skipValue();
    }
    reader.expectEnd();
    end = behind;
    rest = null;
  }

  /**
   * Reads an object.
   *
   * @param text of the object in UTF-8, which must not be changed after this
   * @throws JsonParseException when it is not an object in JSON
   */
  public static ReceivedObject of(byte[] text) {
    TextReader reader = new TextReader(text);
    ReceivedObject object = new ReceivedObject(text, reader, false);
    reader.expectEnd();
    return object;
  }

  /**
   * Reads an object that has been parsed.
   *
   * @throws JsonParseException when it is not an object
   */
  public static ReceivedObject of(JsonElement object) {
    return of(object.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns a copy of an object inside another one, reading no more of it than needed; empty when
   * there is none.
   *
   * @param text of the other one in UTF-8
   * @param path the names of the members that lead to it
   * @throws JsonParseException when it is not JSON
   */
  public static JsonObject member(byte[] text, String... path) {
    TextReader reader = new TextReader(text);
    for (String member : path) {
      if (!reader.enter(member)) {
        return new JsonObject();
      }
    }
    int from = reader.position();
    reader.skipValue();
    return parse(Arrays.copyOfRange(text, from, reader.position()));
  }

  /** Returns the number of bytes that were received, to the end of the event until it is read whole. */
  public int size() {
    return end - from;
  }

  private void readMetadata(TextReader reader) {
    if (reader.peek() != '{') {
      reader.skipValue();
      return;
    }
    metadataFrom = reader.position();
    reader.expect('{');
    int before = reader.position();
    for (boolean first = true; reader.nextMember(first); first = false) {
      switch (reader.name(
          "name", "namespace", "uid", "resourceVersion", "generation", "managedFields")) {
        case "name" -> name = reader.scalar();
        case "namespace" -> namespace = reader.scalar();
        case "uid" -> uid = reader.scalar();
        case "resourceVersion" -> resourceVersion = reader.scalar();
        case "generation" -> generation = reader.number();
        case "managedFields" -> {
          reader.skipValue();
          managedFrom = before;
          boolean comma = reader.peek() == ',';
          managedEnd = reader.position() + (first && comma ? 1 : 0);
        }
        default -> reader.skipValue();
      }
      before = reader.position();
    }
    metadataEnd = reader.position();
  }

  /** Returns its name; empty when it has none. */
  public String name() {
    return name;
  }

  /** Returns its namespace; empty when it has none. */
  public String namespace() {
    return namespace;
  }

  /** Returns its uid; empty when it has none. */
  public String uid() {
    return uid;
  }

  /** Returns its version; empty when it has none. */
  public String resourceVersion() {
    return resourceVersion;
  }

  /** Returns the generation of its spec; 0 when it has none. */
  public long generation() {
    return generation;
  }

  /** Returns whether its metadata are an object. */
  public boolean hasMetadata() {
    return metadataEnd > 0;
  }

  /**
   * Returns a copy of the metadata without managed fields, empty when there are none.
   *
   * @throws JsonParseException when they are not JSON
   */
  public JsonObject metadata() {
    return hasMetadata() ? parse(part(metadataFrom, metadataEnd, "")) : new JsonObject();
  }

  /**
   * Returns a copy of some members of the metadata; of all but managed fields when none is named.
   *
   * @throws JsonParseException when they are not JSON
   */
  public JsonObject metadata(Set<String> members) {
    if (members.isEmpty() || !hasMetadata()) {
      return metadata();
    }
    return members(text, new TextReader(text, metadataFrom, metadataEnd), members);
  }

  /**
   * Returns a copy of some members of the metadata of an object, reading no more of it than needed.
   *
   * @param text of the object in UTF-8
   * @throws JsonParseException when it is not JSON
   */
  public static JsonObject metadata(byte[] text, Set<String> members) {
    TextReader reader = new TextReader(text);
    return reader.enter("metadata") ? members(text, reader, members) : new JsonObject();
  }

  private static JsonObject members(byte[] text, TextReader reader, Set<String> members) {
    JsonObject some = new JsonObject();
    String[] known = members.toArray(String[]::new);
    int[] places = places(reader, known);
    for (int i = 0; i < known.length; i++) {
      JsonElement value = value(text, places, i);
      if (value != null) {
        some.add(known[i], value);
      }
    }
    return some;
  }

  /**
   * Returns which members of the metadata differ between two versions of an object. Their texts are
   * compared first and parsed only where these differ: most updates change none of them.
   *
   * @param before an object in UTF-8
   * @param now likewise
   * @param members their names; one that is null or empty equals none
   * @throws JsonParseException when one of the objects is not JSON
   */
  public static Set<String> differing(byte[] before, byte[] now, Set<String> members) {
    String[] known = members.toArray(String[]::new);
    int[] then = places(before, known);
    int[] here = places(now, known);
    Set<String> differing = new HashSet<>();
    for (int i = 0; i < known.length; i++) {
      int from = 2 * i;
      int end = from + 1;
      boolean isSameText = Arrays.equals(before, then[from], then[end], now, here[from], here[end]);
      if (!isSameText && !Objects.equals(filled(before, then, i), filled(now, here, i))) {
        differing.add(known[i]);
      }
    }
    return differing;
  }

  private static int[] places(byte[] text, String[] known) {
    TextReader reader = new TextReader(text);
    return reader.enter("metadata") ? places(reader, known) : new int[2 * known.length];
  }

  /** Returns begin and end of the value of each member of the object at a reader; 0 where none is. */
  private static int[] places(TextReader reader, String[] known) {
    int[] places = new int[2 * known.length];
    reader.expect('{');
    for (boolean more = reader.nextMember(true); more; more = reader.nextMember(false)) {
      String member = reader.name(known);
      reader.peek();
      int begin = reader.position();
      reader.skipValue();
      for (int i = 0; i < known.length; i++) {
        if (known[i].equals(member)) {
          places[2 * i] = begin;
          places[2 * i + 1] = reader.position();
        }
      }
    }
    return places;
  }

  private static @Nullable JsonElement value(byte[] text, int[] places, int index) {
    int behind = places[2 * index + 1];
    return behind == 0 ? null : JsonParser.parseString(text(text, places[2 * index], behind));
  }

  private static @Nullable JsonElement filled(byte[] text, int[] places, int index) {
    JsonElement value = value(text, places, index);
    boolean isEmpty =
        value == null
            || value.isJsonNull()
            || (value instanceof JsonObject map && map.isEmpty())
            || (value instanceof JsonArray list && list.isEmpty());
    return isEmpty ? null : value;
  }

  private static String text(byte[] text, int begin, int behind) {
    return new String(text, begin, behind - begin, StandardCharsets.UTF_8);
  }

  /**
   * Returns a copy of the whole object.
   *
   * @throws JsonParseException when it is not JSON
   */
  public JsonObject tree() {
    readWhole();
    return JsonParser.parseString(text(text, from, end)).getAsJsonObject();
  }

  /**
   * Returns the text of an object {@linkplain #hasMetadata with metadata} without managed fields.
   *
   * @param apiVersion for an object that has none, such as an item of a list
   * @param kind likewise
   */
  public byte[] kept(String apiVersion, String kind) {
    readWhole();
    String missing =
        (hasApiVersion ? "" : "\"apiVersion\":\"" + apiVersion + "\",")
            + (hasKind ? "" : "\"kind\":\"" + kind + "\",");
    return part(from, end, missing);
  }

  /** Returns the text of an object like {@link #kept}, with these members and its metadata alone. */
  public byte[] keptMetadata(String apiVersion, String kind) {
    byte[] metadata = part(metadataFrom, metadataEnd, "");
    byte[] begin =
        ("{\"apiVersion\":\"" + apiVersion + "\",\"kind\":\"" + kind + "\",\"metadata\":")
            .getBytes(StandardCharsets.UTF_8);
    byte[] whole = Arrays.copyOf(begin, begin.length + metadata.length + 1);
    System.arraycopy(metadata, 0, whole, begin.length, metadata.length);
    whole[whole.length - 1] = '}';
    return whole;
  }

  /** Returns an object in the text without the managed fields, with more members at its begin. */
  private byte[] part(int begin, int behind, String members) {
    byte[] more = members.getBytes(StandardCharsets.UTF_8);
    int cutFrom = Math.max(managedFrom, begin + 1);
    int cutEnd = Math.max(managedEnd, cutFrom);
    byte[] part = new byte[behind - begin - (cutEnd - cutFrom) + more.length];
    part[0] = '{';
    System.arraycopy(more, 0, part, 1, more.length);
    int to = 1 + more.length;
    System.arraycopy(text, begin + 1, part, to, cutFrom - begin - 1);
    System.arraycopy(text, cutEnd, part, to + cutFrom - begin - 1, behind - cutEnd);
    return part;
  }

  private static JsonObject parse(byte[] json) {
    return JsonParser.parseString(new String(json, StandardCharsets.UTF_8)).getAsJsonObject();
  }
}
