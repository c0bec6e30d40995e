// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Cursors;
import dev.coxswain.admin.internal.http.Query;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The position in a list over all replicas: the runs of the controller, which of them are complete,
 * and the position in the current one. In a list of audit records, which reads all replicas at once,
 * each part has a position instead of a run. Immutable.
 *
 * <p>It is neither secret nor signed: each replica signs the position in its own items, and names of
 * replicas are looked up. So every replica accepts it, for the list that it was issued for.
 *
 * @param list the list, as {@link #listOf} returns it
 * @param parts the replicas, in the order of the list
 * @param inner the position in the first incomplete part, as its replica wrote it; null for its
 *     beginning
 * @param slots the state of the slot map at the beginning of the list; empty when the controller has
 *     no slots
 */
public record ContinueToken(String list, List<Part> parts, @Nullable String inner, String slots) {

  /** The prefix of a position; a position of one replica has no dot. */
  private static final String MARK = "w1.";

  /** The longest position that is read; it must fit into a request line. */
  static final int MAX = 3000;

  static final String CONTINUE = "continue";

  private static final Set<String> PAGE = Set.of(CONTINUE, "limit");

  /** The format of {@link Cursors}; the text becomes a part of a URL. */
  private static final Pattern INNER = Pattern.compile("[A-Za-z0-9_-]{0,512}");

  private static final int MAX_PARTS = 256;

  public ContinueToken {
    parts = List.copyOf(parts);
  }

  /** The parameters that do not decide which entries a list has. */
  private static final Set<String> FORM = Set.of(CONTINUE, "limit", "fields");

  /**
   * Returns a digest of a list: of its path, which has the controller, and of its filter in any
   * order.
   *
   * @param below the path below the root
   * @param query the query without the scope, which is in the parts
   */
  public static String listOf(String below, String query) {
    List<String> all = new ArrayList<>(Query.parse(Query.without(query, FORM)).pairs());
    all.add(0, below);
    return Hashes.of(all).substring(0, 16);
  }

  /** The progress of a part. */
  public enum Progress {
    /** It is read next, or later. */
    OPEN,
    /** It has been read to its end. */
    DONE,
    /** It was not reached at the beginning of the list, or is lost since. */
    MISSING
  }

  /**
   * One replica.
   *
   * @param run the run of the controller, or the position in the records; empty when it is missing,
   *     and before all records
   */
  public record Part(String replica, String run, Progress progress) {
    static Part missing(String replica) {
      return new Part(replica, "", Progress.MISSING);
    }

    Part done() {
      return new Part(replica, run, Progress.DONE);
    }

    /** Returns its state on a page that does not read from it. */
    PeerAnswer state() {
      return progress == Progress.MISSING
          ? PeerAnswer.unreachable(replica, "this list continues without it")
          : PeerAnswer.self(replica);
    }
  }

  /** Returns the first incomplete part, if any. */
  Optional<Part> current() {
    return parts.stream().filter(part -> part.progress() == Progress.OPEN).findFirst();
  }

  /** Returns the position after the current part. */
  ContinueToken next() {
    Part shown = current().orElseThrow();
    return new ContinueToken(
        list,
        parts.stream().map(part -> part.equals(shown) ? part.done() : part).toList(),
        null,
        slots);
  }

  /** Returns the query for a page of one replica, from a position or from its beginning. */
  static String query(String other, int limit, @Nullable String position) {
    String filter = Query.without(other, PAGE);
    return (filter.isEmpty() ? "" : filter + "&")
        + "limit="
        + limit
        + (position == null || position.isEmpty() ? "" : "&" + CONTINUE + "=" + position);
  }

  static boolean isOne(String text) {
    return text.startsWith(MARK);
  }

  public String encode() {
    ArrayNode states = Json.object().putArray("p");
    for (Part part : parts) {
      states.addArray().add(part.replica()).add(part.run()).add(part.progress().ordinal());
    }
    ObjectNode json = Json.object().put("l", list);
    json.set("p", states);
    if (inner != null) {
      json.put("i", inner);
    }
    if (!slots.isEmpty()) {
      json.put("s", slots);
    }
    byte[] bytes = Json.write(json);
    return MARK + Hashes.encode(bytes) + "." + Long.toHexString(checksum(bytes));
  }

  /**
   * Reads a position.
   *
   * @param list the list that it is for; a {@link Rejection} when it was issued for another one
   */
  static ContinueToken decode(String text, String list) {
    if (!isOne(text)) {
      throw invalid();
    }
    String[] halves = text.substring(MARK.length()).split("\\.", -1);
    byte[] bytes = Hashes.decode(halves[0]);
    if (halves.length != 2 || !Long.toHexString(checksum(bytes)).equals(halves[1])) {
      throw invalid();
    }
    try {
      ContinueToken token = read(Json.read(bytes));
      if (!token.list().equals(list)) {
        throw Cursors.invalid("belongs to another controller or another filter");
      }
      return token;
    } catch (IOException e) {
      throw invalid();
    }
  }

  private static ContinueToken read(@Nullable JsonNode json) {
    if (json == null || !json.path("p").isArray() || json.path("p").size() > MAX_PARTS) {
      throw invalid();
    }
    List<Part> parts = new ArrayList<>();
    for (JsonNode part : json.path("p")) {
      int progress = part.path(2).asInt(-1);
      if (progress < 0 || progress >= Progress.values().length) {
        throw invalid();
      }
      parts.add(
          new Part(part.path(0).asText(), part.path(1).asText(), Progress.values()[progress]));
    }
    String inner = json.path("i").asText("");
    if (!INNER.matcher(inner).matches()) {
      throw invalid();
    }
    return new ContinueToken(
        json.path("l").asText(), parts, inner.isEmpty() ? null : inner, json.path("s").asText(""));
  }

  /** Detects truncation and typing errors; it is no protection. */
  private static long checksum(byte[] bytes) {
    CRC32 sum = new CRC32();
    sum.update(bytes);
    return sum.getValue();
  }

  static Rejection invalid() {
    return Cursors.invalid("was not issued by this API, or was changed in transit");
  }
}
